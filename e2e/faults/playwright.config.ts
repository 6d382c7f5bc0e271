/** The faults: one after the other, each on a machine that has nothing else to do. `FAULTS=short` is what `npm test` runs. */
import { defineConfig } from 'playwright/test'
import { canMount } from './can-mount'

const mounts = canMount()
if (!mounts) process.stderr.write('A full disk is not tried: a disk of its own can be had by root on Linux alone.\n')

export default defineConfig({
  testDir: '.',
  testMatch: '*.fault.ts',
  testIgnore: mounts ? [] : 'disk.fault.ts',
  workers: 1,
  forbidOnly: true,
  timeout: 15 * 60_000,
  expect: { timeout: 60_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
})
