/** Vitest's global setup and teardown: compiles the programs and starts one PostgreSQL server, in which each test creates a seller. */
import type { TestProject } from 'vitest/node'
import compilePrograms from './compile'
import { startPostgres } from './postgres'

/** The URL and folder of a running PostgreSQL server as JSON, if several test runs share one. */
const { TEST_POSTGRES } = process.env

/** Starts a server, or uses the shared one, which `remove` leaves running. */
async function openPostgres(): Promise<{ url: string; folder: string; remove(): Promise<void> }> {
  return TEST_POSTGRES === undefined ? startPostgres() : { ...JSON.parse(TEST_POSTGRES), remove: async () => {} }
}

export default async function setup(project: TestProject) {
  let removePrograms = await compilePrograms()
  project.onTestsRerun(async () => {
    removePrograms()
    removePrograms = await compilePrograms()
  })
  const postgres = await openPostgres()
  // Set the variables here, because the configuration is read once per process and shared by a worker's test files.
  Object.assign(process.env, {
    TEST_DATABASE_URL: postgres.url,
    DATA_DIR: postgres.folder,
    NEXTAUTH_SECRET: 'a secret of at least 32 characters',
    METRICS_TOKEN: 'a-token-that-is-long-enough',
  })
  return async () => {
    removePrograms()
    await postgres.remove()
  }
}
