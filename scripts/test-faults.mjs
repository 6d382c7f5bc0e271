/**
 * npm run suite -- faults: runs every fault test at full length, with 1,000 damaged files and 100,000 requests, and writes the table in
 * docs/faults.md.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build, install, requireNode, root, run, step } from './bootstrap.mjs'
import { RESULTS, writeTable } from './fault-table.mjs'

requireNode()
process.chdir(root)
const bin = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name)
const env = { ...process.env, FAULTS: 'full' }
let failedCount = 0

async function runPart(name, command, args) {
  await step(name, async () => {
    const { code } = await run(command, args, { quiet: false, env })
    if (code !== 0) failedCount += 1
  })
}

await install()
await build()
await rm(RESULTS, { force: true })
await runPart('Faults', bin('playwright'), ['test', '-c', 'e2e/faults'])
// Separately, because the generated requests exceed the limit on unknown keys, which also delays the first request with a new key.
await runPart('Hostile requests', bin('playwright'), ['test', 'e2e/hostile-requests.spec.ts'])
await runPart('Generated requests', bin('playwright'), ['test', 'e2e/generated-requests.spec.ts'])
process.stdout.write(`\n${await writeTable()}\n`)
process.stdout.write(failedCount === 0 ? '\nThe server survived every fault.\n' : `\n${failedCount} of 3 parts failed.\n`)
process.exit(failedCount === 0 ? 0 : 1)
