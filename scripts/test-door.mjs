/**
 * npm run suite -- door [SEEDS | measure]: simulates the doors of an event for each seed, then measures a device in Chromium and writes the
 * table in docs/offline-protocol.md. With `measure`, skips the simulation.
 */
import { join } from 'node:path'
import { build, install, requireNode, root, run, step } from './bootstrap.mjs'

requireNode()
process.chdir(root)
const [seeds = '1,2,3,4,5,6,7,8,9,10'] = process.argv.slice(2)
let failedCount = 0

async function runPart(name, args, env = {}) {
  await step(name, async () => {
    const { code } = await run(process.execPath, args, { quiet: false, env: { ...process.env, ...env } })
    if (code !== 0) failedCount += 1
  })
}

await install()
if (seeds !== 'measure') {
  const simulation = ['node_modules/vitest/vitest.mjs', 'run', 'app/door/offline/simulation.test.ts']
  await runPart('Simulation', simulation, { DOOR_SIMULATION: seeds })
}
await build()
await runPart('Measurements', [join('node_modules', 'playwright', 'cli.js'), 'test', '-c', 'e2e/door/measure.config.ts'])
process.exit(failedCount === 0 ? 0 : 1)
