/** Unit tests: no browser or server, with a separate PostgreSQL. `npm run unit` skips the slow ones, which `npm test` includes. */
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Slow tests, which compile or run a copy of the whole project. */
const SLOW = ['scripts/fifth-resource.test.ts']

export default defineConfig({
  test: {
    // Each worker waits for PostgreSQL half of the time. More workers would need more connections than PostgreSQL has.
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
