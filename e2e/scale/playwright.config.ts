/** Playwright configuration for the scale-out tests. SCALE selects one of the setups; `npm run suite -- scale` runs all of them. */
import { defineConfig } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from '../support/chromium'

/** The specs that run with each setup. */
const SETUPS = {
  /** Two servers: every operation and every page. Of the specs that start their own servers, only rate-limit.spec.ts is included. */
  pair: [
    'contract/*.spec.ts',
    'dashboard/*.spec.ts',
    'docs.spec.ts',
    'random.spec.ts',
    'rate-limit.spec.ts',
    'stripe.spec.ts',
    'generated-requests.spec.ts',
  ],
  /** PgBouncer: all specs except those in `door`. */
  bouncer: ['*.spec.ts', 'contract/*.spec.ts', 'dashboard/*.spec.ts'],
  /** A read replica: every operation and every page, and a check of which database serves each request. */
  replica: ['contract/*.spec.ts', 'dashboard/*.spec.ts', 'random.spec.ts', 'stripe.spec.ts', 'scale/replica.scale.ts'],
}

const setup = String(process.env.SCALE)
const isSetup = (name: string): name is keyof typeof SETUPS => name in SETUPS
if (!isSetup(setup)) throw new Error(`SCALE must be one of ${Object.keys(SETUPS).join(', ')}`)

export default defineConfig({
  testDir: '..',
  globalSetup: './global-setup.ts',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  // Use long timeouts, because a busy machine may be ten times slower.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: process.env.DESK_E2E_REPORT ? [['list'], ['json', { outputFile: process.env.DESK_E2E_REPORT }]] : 'list',
  use: { launchOptions: { executablePath: chromiumPath(), args: LAUNCH_ARGS } },
  testMatch: SETUPS[setup].map((pattern) => `**/e2e/${pattern}`),
})
