/** Configures the fault tests, which run one at a time, because they load the machine. `npm test` runs a short version (`FAULTS=short`). */
import { defineConfig } from 'playwright/test'
import { canMount } from './can-mount'
import { findPrograms } from './own-postgres'

const isShort = process.env.FAULTS === 'short'
const ignored: string[] = []
function leaveOut(file: string, reason: string): void {
  ignored.push(file)
  process.stderr.write(`${reason}\n`)
}

if (!canMount()) leaveOut('disk.fault.ts', 'The full disk is not tested: mounting a small disk needs root on Linux.')
// Of the ways to back up, `npm test` covers only `desk backup`. Unit tests cover deliveries while other webhook endpoints hang or fail.
if (isShort) ignored.push('dump.fault.ts', 'folder.fault.ts', 'webhook-delays.fault.ts')
else if (!findPrograms())
  leaveOut('dump.fault.ts', 'pg_dump is not tested: no PostgreSQL is installed on this system. On Debian: apt-get install postgresql.')

/** Tests that wait for a server's time limits and hardly load the machine. The short version runs them in parallel with the others. */
const WAITS = /@waits/
const PROJECTS = [
  { name: 'waits', grep: WAITS, workers: 1 },
  { name: 'load', grepInvert: WAITS, workers: 1 },
]

export default defineConfig({
  testDir: '.',
  globalSetup: '../support/compile.ts',
  testMatch: '*.fault.ts',
  testIgnore: ignored,
  ...(isShort ? { projects: PROJECTS, workers: PROJECTS.length } : { workers: 1 }),
  forbidOnly: true,
  // This timeout only detects hangs: the longest test takes 14 minutes on a quiet machine.
  timeout: 60 * 60_000,
  expect: { timeout: 60_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
})
