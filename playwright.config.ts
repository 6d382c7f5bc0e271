/** HTTP and browser (Chromium) tests, against the production build. */
import { defineConfig } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from './e2e/support/chromium'

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  fullyParallel: true,
  // One more than the cores of a small machine, because many tests wait most of the time.
  workers: 3,
  forbidOnly: true,
  // The timeouts only detect hangs. They do not measure speed: a busy machine can be ten times slower.
  timeout: 900_000,
  expect: { timeout: 60_000, toPass: { timeout: 120_000 } },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
  use: {
    // Without these, an action on an element that never appears would wait until the test's timeout.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    launchOptions: { executablePath: chromiumPath(), args: LAUNCH_ARGS },
  },
})
