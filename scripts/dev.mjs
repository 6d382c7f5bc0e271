/** npm run dev: installs the packages, and starts a server that reloads code on save, even in a fresh clone. */
import { exitWithMessage, install, requireNode, root, step } from './bootstrap.mjs'

requireNode()
process.chdir(root)
process.env.LOG_LEVEL ??= 'warn'
process.env.HOST ??= '127.0.0.1'
process.env.NEXT_TELEMETRY_DISABLED ??= '1'

// Without this listener, writing to a closed terminal would crash the process and leave the database running.
process.stderr.on('error', () => {})
await install()
const { register } = await import('tsx/esm/api')
register()
const { develop } = await import('../cli/dev.ts')
const { formatError } = await import('../cli/format-error.ts')
try {
  await develop(step)
  process.exit(0)
} catch (error) {
  exitWithMessage(formatError(error))
}
