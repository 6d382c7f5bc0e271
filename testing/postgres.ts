/** The tests' PostgreSQL: embedded, in a temporary folder, on a free port; and databases in it. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { type Embedded, joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { ensureServerUser } from '@/db/server-user'

/** Creates a folder that PostgreSQL's user can access even if the tests run as root. */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-desk-'))
  await chmod(folder, 0o755)
  return folder
}

export const newDatabaseName = () => `own_${randomBytes(6).toString('hex')}`

/** The copy of the migrated database, which nothing connects to, so that it can be copied at any time. */
const TEMPLATE = 'migrated'

const toUrl = (url: string, database: string) => url.replace(/\/[^/]*$/, `/${database}`)

/** Creates a migrated database by copying one. @param url a connection string of `startPostgres` */
export async function createDatabase(url: string, name = newDatabaseName()): Promise<{ url: string; drop(): Promise<void> }> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} template ${TEMPLATE}`)
  return {
    url: toUrl(url, name),
    drop: async () => {
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** Makes a server faster that need not survive a power failure. Commits stay synchronous, because a vacuum skips rows whose commit is not written yet. */
async function relax(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  for (const setting of ['fsync', 'full_page_writes']) await admin.unsafe(`alter system set ${setting} = off`)
  await admin`select pg_reload_conf()`
  await admin.end()
}

/**
 * Starts and migrates a PostgreSQL server.
 *
 * @param isDurable whether it waits for the disk at each commit, as in production.
 * @returns its connection strings (`serverUrl` for the process that serves requests) and `remove`, which stops it and deletes its data
 */
export async function startPostgres({
  isDurable = false,
} = {}): Promise<Embedded & { folder: string; serverUrl: string; remove(): Promise<void> }> {
  const folder = await makeTemporaryFolder()
  const embedded = await joinEmbedded(folder)
  if (!isDurable) await relax(embedded.url)
  await migrateDatabase(embedded.url)
  const copier = postgres(toUrl(embedded.url, 'postgres'), { max: 1 })
  await copier.unsafe(`create database ${TEMPLATE} template ${new URL(embedded.url).pathname.slice(1)}`)
  await copier.end()
  return {
    ...embedded,
    folder,
    serverUrl: await ensureServerUser(embedded.url),
    remove: async () => {
      // A crashed test process with open connections must not keep the server running.
      const admin = postgres(embedded.url, { max: 1 })
      await admin`select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> 'desk-lease'`
      await admin.end()
      await embedded.leave()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
