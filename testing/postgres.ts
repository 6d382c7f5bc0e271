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

/** Creates a migrated database. @param url the connection string of a user who can create databases */
export async function createDatabase(url: string, name = newDatabaseName()): Promise<{ url: string; drop(): Promise<void> }> {
  const own = url.replace(/\/[^/]*$/, `/${name}`)
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name}`)
  await migrateDatabase(own)
  return {
    url: own,
    drop: async () => {
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** Starts and migrates a PostgreSQL server. @returns its connection strings (`serverUrl` for the process that serves requests) and `remove`, which stops it and deletes its data */
export async function startPostgres(): Promise<Embedded & { folder: string; serverUrl: string; remove(): Promise<void> }> {
  const folder = await makeTemporaryFolder()
  const embedded = await joinEmbedded(folder)
  await migrateDatabase(embedded.url)
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
