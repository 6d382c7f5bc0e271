/** The tests without a browser or a server: rules, rows and the importer, on a real PostgreSQL of their own. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    include: ['{app,cli,db,lib,scripts}/**/*.test.ts'],
    globalSetup: './testing/global-postgres.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
