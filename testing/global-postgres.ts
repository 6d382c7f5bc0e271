/** Vitest's global setup and teardown: one PostgreSQL for all files, in which each test creates its own seller. */
import { startPostgres } from './postgres'

export default async function setup() {
  const postgres = await startPostgres()
  process.env.TEST_DATABASE_URL = postgres.url
  return () => postgres.remove()
}
