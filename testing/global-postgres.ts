/** Vitest's start and end: one PostgreSQL for all files; each test makes a seller of its own in it. */
import { startPostgres } from './postgres'

export default async function setup() {
  const postgres = await startPostgres()
  process.env.TEST_DATABASE_URL = postgres.url
  return () => postgres.remove()
}
