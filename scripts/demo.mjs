/** npm run demo: from a fresh clone to a running server with a sample shop. */
import { build, exitWithMessage, install, isExpected, requireNode, root, step } from './bootstrap.mjs'

requireNode()
process.chdir(root)
process.env.LOG_LEVEL ??= 'warn'
process.env.NEXT_TELEMETRY_DISABLED ??= '1'

await install()
await build()
const { register } = await import('tsx/esm/api')
register()
const { demo } = await import('../cli/demo.ts')
try {
  await demo(step)
  process.exit(0)
} catch (error) {
  exitWithMessage(isExpected(error) ? error.message : error.stack)
}
