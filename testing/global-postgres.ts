/** Vitest's global setup and teardown: one PostgreSQL for all files, in which each test creates its own seller. */
import { startPostgres } from './postgres'

export default async function setup() {
  const postgres = await startPostgres()
  // The configuration is read once per process, and the files of a worker share it.
  Object.assign(process.env, {
    TEST_DATABASE_URL: postgres.url,
    DATA_DIR: postgres.folder,
    NEXTAUTH_SECRET: 'a secret of at least 32 characters',
    METRICS_TOKEN: 'a token that is long enough',
  })
  return () => postgres.remove()
}
