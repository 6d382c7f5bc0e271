/** Vitest's global setup and teardown: one PostgreSQL for all files, in which each test creates its own seller. */
import { startPostgres } from './postgres'

/** A PostgreSQL that is already running, as JSON, which several consecutive runs share. */
const { TEST_POSTGRES } = process.env

async function openPostgres(): Promise<{ url: string; folder: string; remove(): Promise<void> }> {
  return TEST_POSTGRES === undefined ? startPostgres() : { ...JSON.parse(TEST_POSTGRES), remove: async () => {} }
}

export default async function setup() {
  const postgres = await openPostgres()
  // The configuration is read once per process, and the files of a worker share it.
  Object.assign(process.env, {
    TEST_DATABASE_URL: postgres.url,
    DATA_DIR: postgres.folder,
    NEXTAUTH_SECRET: 'a secret of at least 32 characters',
    METRICS_TOKEN: 'a token that is long enough',
  })
  return () => postgres.remove()
}
