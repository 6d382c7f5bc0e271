/** Vitest's global setup and teardown: the compiled programs, and one PostgreSQL server in which each test creates its own seller. */
import type { TestProject } from 'vitest/node'
import compilePrograms from './compile'
import { startPostgres } from './postgres'

/** The URL and the folder of a running PostgreSQL server as JSON. Set if several runs share one server. */
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
  // The configuration is read once per process, so all test files of a worker share it.
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
