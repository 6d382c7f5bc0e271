/** Tests without a browser or a server, on a PostgreSQL of their own. `npm run unit` leaves out the slow ones, which `npm test` runs too. */
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** They compile or run a copy of the whole project. */
const SLOW = ['scripts/fifth-resource.test.ts']

export default defineConfig({
  test: {
    // Each waits for PostgreSQL half of the time; more of them than this would need more connections than it has.
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    projects: [
      {
        resolve: { alias: { '@': import.meta.dirname } },
        test: {
          name: 'quick',
          include: ['{app,cli,db,lib,scripts}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SLOW],
          globalSetup: './testing/global-postgres.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      { resolve: { alias: { '@': import.meta.dirname } }, test: { name: 'slow', include: SLOW } },
    ],
  },
})
