/** Vitest's setup file: defines the globals that Next's modules read once, when the first of them is loaded. */
import 'next/dist/server/node-environment-baseline'
