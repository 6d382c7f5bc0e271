/** npm run demo: installs the packages, builds the pages, and serves a sample shop, even in a fresh clone. */
import { build, exitWithMessage, install, requireNode, root, step } from './bootstrap.mjs'

requireNode()
process.chdir(root)
process.env.LOG_LEVEL ??= 'warn'
process.env.NEXT_TELEMETRY_DISABLED ??= '1'

// Without this listener, writing to a closed terminal would crash the process and leave the database running.
process.stderr.on('error', () => {})
await install()
await build()
const { register } = await import('tsx/esm/api')
register()
const { demo } = await import('../cli/demo.ts')
const { formatError } = await import('../cli/format-error.ts')
try {
  await demo(step)
  process.exit(0)
} catch (error) {
  exitWithMessage(formatError(error))
}
