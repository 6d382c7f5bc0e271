/** npm run demo: from a fresh clone to a sample shop that is served, with no step by hand. */
import { build, give, install, requireNode, root, step } from './bootstrap.mjs'

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
  // What a person can act on is one sentence; anything else is ours and shows where it happened.
  give(['EnvError', 'MigrationError'].includes(error.name) || error.constructor.name === 'CommandError' ? error.message : error.stack)
}
