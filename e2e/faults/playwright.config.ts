/**
 * Configures the fault tests. They run one at a time because they put a heavy load on the machine. `npm test` runs a short version
 * (`FAULTS=short`) with two workers.
 */
import { defineConfig } from 'playwright/test'
import { canMount } from './can-mount'
import { findPrograms } from './system-postgres'

const isShort = process.env.FAULTS === 'short'
const ignored: string[] = []
function skipFile(file: string, reason: string): void {
  ignored.push(file)
  process.stderr.write(`${reason}\n`)
}

if (!canMount()) skipFile('disk.fault.ts', 'Skipping the full-disk test: it mounts a small file system, which requires root on Linux.')
// The short version tests only one backup method, `desk backup`. Unit tests cover deliveries while other webhook endpoints hang or fail.
if (isShort) ignored.push('dump.fault.ts', 'folder.fault.ts', 'webhook-delays.fault.ts')
else if (!findPrograms())
  skipFile(
    'dump.fault.ts',
    'Skipping the pg_dump test: PostgreSQL 15 or newer was not found in /usr/lib/postgresql. On Debian, run: apt-get install postgresql',
  )

/** Matches tests that mostly wait for timeouts and put little load on the machine. The short version runs them alongside the others. */
const WAITS = /@waits/
const PROJECTS = [
  { name: 'waits', grep: WAITS, workers: 1 },
  { name: 'load', grepInvert: WAITS, workers: 1 },
]

export default defineConfig({
  testDir: '.',
  globalSetup: '../../testing/compile.ts',
  testMatch: '*.fault.ts',
  testIgnore: ignored,
  ...(isShort ? { projects: PROJECTS, workers: PROJECTS.length } : { workers: 1 }),
  forbidOnly: true,
  // This timeout is only meant to detect hangs: the longest test takes 14 minutes on an otherwise idle machine.
  timeout: 60 * 60_000,
  expect: { timeout: 60_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
})
