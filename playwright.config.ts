/** The proof over HTTP and in a real Chromium, against the production build. */
import { defineConfig } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from './e2e/support/chromium'

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  timeout: 60_000,
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
  use: { launchOptions: { executablePath: chromiumPath(), args: LAUNCH_ARGS } },
  projects: [
    { name: 'server', testMatch: '**/*.spec.ts', metadata: { transport: 'server' } },
    // The same contract where Next's own server answers, so that a deployment without server.ts behaves alike.
    { name: 'next', testMatch: 'contract/*.spec.ts', metadata: { transport: 'next' } },
  ],
})
