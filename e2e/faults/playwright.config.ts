/** The faults: one after the other, each on a machine that has nothing else to do. `FAULTS=short` is what `npm test` runs. */
import { defineConfig } from 'playwright/test'
import { canMount } from './can-mount'
import { findPrograms } from './own-postgres'

const isShort = process.env.FAULTS === 'short'
const ignored: string[] = []
function leaveOut(file: string, why: string): void {
  ignored.push(file)
  process.stderr.write(`${why}\n`)
}

if (!canMount()) leaveOut('disk.fault.ts', 'A full disk is not tried: a disk of its own can be had by root on Linux alone.')
// `npm test` has backups of its own.
if (isShort) ignored.push('dump.fault.ts', 'folder.fault.ts')
else if (!findPrograms())
  leaveOut('dump.fault.ts', 'pg_dump IS NOT TRIED: no PostgreSQL of the system’s own was found. On Debian: apt-get install postgresql.')

export default defineConfig({
  testDir: '.',
  testMatch: '*.fault.ts',
  testIgnore: ignored,
  workers: 1,
  forbidOnly: true,
  timeout: 15 * 60_000,
  expect: { timeout: 60_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
})
