/** A Vitest setup file: defines the globals that Next reads when its first module is loaded. */
import 'next/dist/server/node-environment-baseline'
