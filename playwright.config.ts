/** Tests over HTTP and in Chromium, against the production build. */
import { defineConfig } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from './e2e/support/chromium'

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  // Bounds against a hang, not measures of speed: a busy machine may be ten times slower.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
  use: { launchOptions: { executablePath: chromiumPath(), args: LAUNCH_ARGS } },
})
