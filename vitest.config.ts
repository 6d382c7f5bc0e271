/**
 * Unit tests. They start their own PostgreSQL, but neither a browser nor the whole server. `npm run unit` runs those in the `quick` project
 * that are not tagged `slow`; `npm test` runs all of them.
 */
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow tests that compile or run a copy of the whole project. */
const SLOW = ['scripts/add-resource.test.ts']
/** Tests that replace or reload modules, or use up the connection pools and throttles of the process. */
const ISOLATED = [
  'app/(dashboard)/layout.test.ts',
  'app/auth.test.ts',
  'app/door/enroll/actions.test.ts',
  'app/door/enroll/enroll-self.test.ts',
  'app/door/scan/route.test.ts',
  'cli/commands/serve.test.ts',
  'db/migrate.test.ts',
  'db/pools.test.ts',
  'lib/accounts/verify-key.test.ts',
  'lib/core/connect.test.ts',
  'lib/http/authenticate.test.ts',
  'lib/http/load-shedding.test.ts',
  'lib/http/shared-limits.test.ts',
  'lib/listing/replica.test.ts',
  'lib/sync/import/check-ins-first.test.ts',
  'lib/sync/stripe/seal.test.ts',
  'lib/webhooks/deliver.test.ts',
  'lib/webhooks/delivery-worker.test.ts',
]

// Without this file, a test would depend on which of Next's modules an earlier file in the same process loaded.
const setupFiles = ['./testing/next-environment.ts']
const resolve = { alias: { '@': import.meta.dirname, '@node-rs/argon2': `${import.meta.dirname}/testing/argon2.ts` } }
// This timeout only detects hangs: a busy machine can be ten times slower. `npm run suite -- defenses` sets a shorter one.
const timeout = Number(process.env.TEST_TIMEOUT_MS ?? 300_000)
const options = { testTimeout: timeout, hookTimeout: timeout, expect: { poll: { timeout: 60_000 } }, setupFiles }

/** The projects in the order in which they start. */
const ORDER = ['slow', 'isolated', 'quick']

/**
 * Starts the slow files first, so that none of them runs alone at the end, and the files that share a process last, because a file from
 * another project ends that process.
 */
class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return ORDER.flatMap((name) => sorted.filter(({ project }) => project.name === name))
  }
}

export default defineConfig({
  resolve,
  test: {
    sequence: { sequencer: ProjectSequencer },
    // Not set in the projects, so that it runs only once.
    globalSetup: './testing/global-setup.ts',
    // For tests that take a third of a second or more. Files whose tests take more than a second in total have a `@module-tag`.
    tags: [{ name: 'slow', description: 'excluded from `npm run unit`' }],
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    projects: [
      {
        resolve,
        test: {
          name: 'quick',
          include: ['{app,cli,db,lib,scripts,testing}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SLOW, ...ISOLATED],
          // Test files in the same worker share imported modules, because importing them takes longer than most tests.
          isolate: false,
          ...options,
        },
      },
      // A thread for each file, because a process would take longer to start.
      { resolve, test: { name: 'isolated', include: ISOLATED, pool: 'threads', ...options } },
      { resolve, test: { name: 'slow', include: SLOW, ...options } },
    ],
  },
})
