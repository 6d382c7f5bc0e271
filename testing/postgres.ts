/** Starts an embedded PostgreSQL for tests, in a temporary folder and on a free port, and creates databases in it. */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { type EmbeddedServer, joinEmbedded } from '@/db/embedded'
import { findHome } from '@/db/embedded-home'
import { migrateDatabase } from '@/db/migrate'
import { ensureServerUser } from '@/db/server-user'

/** Linux's in-memory file system. */
const MEMORY = '/dev/shm'
/** The free space required there (containers may have 64 MB), and the free memory, in bytes. A test run uses a fraction of each. */
const [FREE_SPACE, FREE_MEMORY] = [2 ** 32, 2 ** 33]

/** Returns the folder for databases: in memory if enough is free, because creating the thousand files of each takes far longer on disk. */
function findTemporaryRoot(): string {
  if (!existsSync(MEMORY) || process.availableMemory() < FREE_MEMORY) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize < FREE_SPACE ? tmpdir() : MEMORY
}

/**
 * Creates a folder that the `postgres` user can access even if the tests run as root.
 *
 * @param isOnDisk whether its files must not be in memory, because they are large or must be as slow as in production
 */
export async function makeTemporaryFolder({ isOnDisk = false } = {}): Promise<string> {
  const folder = await mkdtemp(join(isOnDisk ? tmpdir() : findTemporaryRoot(), 'checkout-desk-'))
  await chmod(folder, 0o755)
  return folder
}

/** Returns a random name for a database. */
export const newDatabaseName = () => `own_${randomBytes(6).toString('hex')}`

/**
 * The name of the template: a migrated database without connections, which can therefore be copied at any time. Runs with a different
 * schema use another template.
 */
const TEMPLATE = process.env.TEST_TEMPLATE ?? 'migrated'

const toUrl = (url: string, database: string) => url.replace(/\/[^/]*$/, `/${database}`)

/**
 * Creates a migrated database by copying the template's files, which takes a third of the time of a WAL-logged copy.
 *
 * @param url a connection string returned by `startPostgres`
 */
export async function createDatabase(
  url: string,
  name = newDatabaseName(),
  template = TEMPLATE,
): Promise<{ url: string; drop(): Promise<void> }> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`)
  return {
    url: toUrl(url, name),
    drop: async () => {
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** Creates the template by copying a migrated database without connections. @param url a connection string for the database's owner */
export async function createTemplate(url: string): Promise<void> {
  const admin = postgres(toUrl(url, 'postgres'), { max: 1 })
  await admin.unsafe(`create database ${TEMPLATE} template ${new URL(url).pathname.slice(1)}`)
  await admin.end()
}

/**
 * Sets whether a server's data survives a power failure; the server is faster if it does not. Commits stay synchronous in both cases,
 * because vacuum skips rows whose commit has not been flushed.
 */
async function setDurability(url: string, value: 'on' | 'off'): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  for (const setting of ['fsync', 'full_page_writes']) await admin.unsafe(`alter system set ${setting} = ${value}`)
  await admin`select pg_reload_conf()`
  await admin.end()
}

/** Whether files have an owner for `cp` to preserve. */
const hasOwners = process.platform !== 'win32'

/**
 * The maximum number of connections to PostgreSQL. Each of our servers may open 32, and several tests that start servers may run
 * concurrently.
 */
const MAX_CONNECTIONS = 300

/** Sets the maximum number of connections, which takes effect at PostgreSQL's next start. */
async function setMaxConnections(url: string): Promise<void> {
  const admin = postgres(url, { max: 1 })
  await admin.unsafe(`alter system set max_connections = ${MAX_CONNECTIONS}`)
  await admin.end()
}

/** Copies a folder and preserves its owner, which is a different user if this process runs as root. */
const copyFolder = (from: string, to: string): Promise<unknown> =>
  hasOwners ? promisify(execFile)('cp', ['-a', from, to]) : cp(from, to, { recursive: true })

/** Returns a hash of the files that a migrated database depends on. */
function hashSources(): string {
  const files = readdirSync('db', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(sql|ts)$/.test(name))
    .map((name) => join('db', name))
  const hash = createHash('sha256')
  for (const file of [...files.sort(), 'testing/postgres.ts', 'package-lock.json']) hash.update(`${file}\0`).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

/**
 * Creates a database cluster with a migrated database and the template, or reuses that of an earlier run with the same sources, because
 * creating one takes seconds.
 *
 * @returns the path of its folder; no server is running in it
 */
async function prepareCluster(): Promise<string> {
  const key = hashSources()
  const clusters = resolve('.data', 'clusters')
  const prepared = join(clusters, key)
  if (existsSync(prepared)) return prepared
  const folder = await makeTemporaryFolder()
  const embedded = await joinEmbedded(folder)
  await setDurability(embedded.url, 'off')
  await migrateDatabase(embedded.url)
  await ensureServerUser(embedded.url)
  await createTemplate(embedded.url)
  await setDurability(embedded.url, 'on')
  await setMaxConnections(embedded.url)
  if (!(await embedded.leave())) throw new Error(`PostgreSQL is still running in ${folder}, so its files cannot be copied.`)
  await mkdir(clusters, { recursive: true })
  const outdated = readdirSync(clusters).filter((name) => !name.startsWith(key))
  await Promise.all(outdated.map((name) => rm(join(clusters, name), { recursive: true, force: true })))
  // Create the files elsewhere and then move them, because another process may be preparing the same cluster.
  const draft = await mkdtemp(`${prepared}.`)
  await copyFolder((await findHome(folder)).cluster, join(draft, 'postgres'))
  const { password } = JSON.parse(await readFile(join(folder, 'postgres.json'), 'utf8')) as { password: string }
  // Use port 0 so that each copy of the cluster gets a free port.
  await writeFile(join(draft, 'postgres.json'), JSON.stringify({ port: 0, password }), { mode: 0o600 })
  await rename(draft, prepared).catch(() => rm(draft, { recursive: true, force: true }))
  await rm(folder, { recursive: true, force: true })
  return prepared
}

/** Creates a data folder with a migrated database, without starting a server. @returns its path */
export async function makeDataFolder({ isOnDisk = false } = {}): Promise<string> {
  const prepared = await prepareCluster()
  const folder = await makeTemporaryFolder({ isOnDisk })
  await copyFolder(join(prepared, 'postgres'), (await findHome(folder)).cluster)
  await copyFile(join(prepared, 'postgres.json'), join(folder, 'postgres.json'))
  return folder
}

/**
 * Starts a PostgreSQL server with a migrated database.
 *
 * @param isDurable whether commits survive a power failure, as in production
 * @returns its connection strings (`serverUrl` is for the app server's user) and `remove`, which stops it and deletes its data
 */
export async function startPostgres({
  isDurable = false,
} = {}): Promise<EmbeddedServer & { folder: string; serverUrl: string; remove(): Promise<void> }> {
  const folder = await makeDataFolder({ isOnDisk: isDurable })
  const embedded = await joinEmbedded(folder)
  if (!isDurable) await setDurability(embedded.url, 'off')
  return {
    ...embedded,
    folder,
    serverUrl: await ensureServerUser(embedded.url),
    remove: async () => {
      // Close connections left open by crashed test processes, because they would keep the server running.
      const admin = postgres(embedded.url, { max: 1 })
      await admin`select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> 'desk-lease'`
      await admin.end()
      await embedded.leave()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
