/** The tests without a browser or a server: rules, rows and the importer, on a real PostgreSQL of their own. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    include: ['{app,cli,db,lib,scripts}/**/*.test.ts'],
    globalSetup: './testing/global-postgres.ts',
    // They wait for PostgreSQL half of the time; and more than it has connections for must not come at once.
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
