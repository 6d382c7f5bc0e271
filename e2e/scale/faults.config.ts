/** Configures the short version of the fault tests that apply to two servers. */
import { defineConfig } from 'playwright/test'

Object.assign(process.env, { FAULTS: 'short', FAULT_SERVERS: '2' })

export default defineConfig({
  testDir: '..',
  testMatch: ['**/faults/database.fault.ts', '**/faults/cut.fault.ts', '**/scale/pair.fault.ts'],
  workers: 1,
  forbidOnly: true,
  timeout: 10 * 60_000,
  expect: { timeout: 60_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
})
