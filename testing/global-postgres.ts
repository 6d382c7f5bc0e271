/** Vitest's global setup and teardown: one PostgreSQL server for all test files. Each test creates its own seller in it. */
import { startPostgres } from './postgres'

/** The URL and the folder of a running PostgreSQL server as JSON. Set if several runs share one server. */
const { TEST_POSTGRES } = process.env

/** Starts a server, or uses the shared one, which `remove` leaves running. */
async function openPostgres(): Promise<{ url: string; folder: string; remove(): Promise<void> }> {
  return TEST_POSTGRES === undefined ? startPostgres() : { ...JSON.parse(TEST_POSTGRES), remove: async () => {} }
}

export default async function setup() {
  const postgres = await openPostgres()
  // The configuration is read once per process, so all test files of a worker share it.
  Object.assign(process.env, {
    TEST_DATABASE_URL: postgres.url,
    DATA_DIR: postgres.folder,
    NEXTAUTH_SECRET: 'a secret of at least 32 characters',
    METRICS_TOKEN: 'a-token-that-is-long-enough',
  })
  return () => postgres.remove()
}
