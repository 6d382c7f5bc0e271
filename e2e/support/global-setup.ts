/** Starts PostgreSQL, the server on it, and a plain `next start` for comparison. */
import { startPostgres } from '@/testing/postgres'
import { startTested } from './tested'

export default async function setup() {
  const postgres = await startPostgres()
  const stop = await startTested({ ownerUrl: postgres.url, serverUrl: postgres.serverUrl, folder: postgres.folder })
  return async () => {
    await stop()
    await postgres.remove()
  }
}
