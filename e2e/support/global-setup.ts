/** Playwright's global setup: compiles the programs and starts PostgreSQL and the server under test. */
import compilePrograms from '@/testing/compile'
import { startPostgres } from '@/testing/postgres'
import { startServerUnderTest } from './server-under-test'

export default async function setup() {
  const [postgres, removePrograms] = await Promise.all([startPostgres(), compilePrograms()])
  const stop = await startServerUnderTest({ ownerUrl: postgres.url, serverUrl: postgres.serverUrl, folder: postgres.folder })
  return async () => {
    await stop()
    await postgres.remove()
    removePrograms()
  }
}
