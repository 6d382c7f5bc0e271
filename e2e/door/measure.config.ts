/** Configures the measurements of check-in in Chromium, which `npm run suite -- door` runs after the simulation. */
import { defineConfig } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from '../support/chromium'

export default defineConfig({
  testDir: '.',
  globalSetup: '../support/global-setup.ts',
  testMatch: '*.measure.ts',
  workers: 1,
  forbidOnly: true,
  timeout: 15 * 60_000,
  expect: { timeout: 600_000 },
  use: { launchOptions: { executablePath: chromiumPath(), args: LAUNCH_ARGS } },
})
