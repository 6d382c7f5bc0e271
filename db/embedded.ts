/** The embedded PostgreSQL. The first process that uses it starts it, and the last one stops it. */
import { randomBytes } from 'node:crypto'
import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { openConnection } from './connection'
import { DATABASE, hasCluster, initialize, isRunning, readPort, start, stop, waitWhileStarting } from './embedded-cluster'
import { EmbeddedError, findHome, type Home } from './embedded-home'
import { FileLockedError, isDiskFull, withFileLock } from './file-lock'

/**
 * How to connect to the server. Stored as `postgres.json` in the data folder, readable only by its owner. The port is 0 until the server
 * has started for the first time.
 */
type Access = { port: number; password: string }

export type EmbeddedServer = {
  /** The connection string for the user who owns the database. */
  url: string
  /** Whether the server was already running. */
  wasRunning: boolean
  /** Releases the server. The last process to release it stops it. @returns whether this call stopped it */
  leave(): Promise<boolean>
}

/** Returns `wanted` if that port is free or, by default, any free port. Returns undefined if there is none. */
function findFreePort(wanted = 0): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}

/** Returns undefined if the file does not exist. @throws {EmbeddedError} if it is damaged */
async function readAccess(file: string): Promise<Access | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (text === undefined) return undefined
  try {
    const { port, password } = JSON.parse(text) as Partial<Access>
    if (typeof port === 'number' && typeof password === 'string') return { port, password }
  } catch {
    // Reported below.
  }
  throw new EmbeddedError(
    `${file}, which stores the database’s password, is damaged. Restore the file from a copy. If you have none, set a new password: docs/operations.md describes how.`,
  )
}

async function writeAccess(file: string, access: Access): Promise<void> {
  // Flushed before it replaces the only copy of the password, because after a power failure, the file might otherwise be empty.
  await writeFile(`${file}.draft`, JSON.stringify(access), { mode: 0o600, flush: true })
  await chmod(`${file}.draft`, 0o600)
  await rename(`${file}.draft`, file)
}

const toUrl = ({ port, password }: Access, name = DATABASE) => `postgres://${DATABASE}:${password}@127.0.0.1:${port}/${name}`

/** A connection that shows other processes that this one needs the server. */
type Lease = { sql: Sql; end(): Promise<void> }

/** The interval between queries on the lease's connection, which make the driver reconnect if it was lost. */
const RENEW_MS = 2_000

/** The delay after a failed attempt to start the server again, in milliseconds. */
const RESTART_MS = 3_000

/**
 * Opens a connection for as long as this process needs the server, so that other processes do not stop it. Creates a missing database.
 *
 * @param onLost called if a query fails. The next query runs after it has finished
 */
async function acquireLease(access: Access, onLost: () => Promise<void>): Promise<Lease> {
  // Connects to the database `postgres` instead of ours, because PostgreSQL can copy only databases without connections.
  const lease = openConnection(toUrl(access, 'postgres'), 'desk-lease')
  const [found] = await lease`select 1 from pg_database where datname = ${DATABASE}`
  if (!found) await lease.unsafe(`create database ${DATABASE}`)
  // The driver reconnects only when a query runs. Without this query, a crash of PostgreSQL would end the lease.
  let isRenewing = false
  const renew = async () => {
    if (isRenewing) return
    isRenewing = true
    await lease`select 1`.catch(onLost)
    isRenewing = false
  }
  const renewal = setInterval(renew, RENEW_MS)
  renewal.unref()
  return {
    sql: lease,
    end: async () => {
      clearInterval(renewal)
      await lease.end({ timeout: 1 })
    },
  }
}

/** How long a closed connection may still appear in `pg_stat_activity`, in milliseconds. */
const CLOSING_MS = 1000

/**
 * Whether a signal has interrupted this process. Connections of `desk` might then belong to this process, so other processes are
 * recognized by their leases, which they renew if the connection was lost.
 */
let isInterrupted = false

/** Returns whether other connections remain, waiting up to `CLOSING_MS` for them to close. */
async function hasOtherClients(lease: Sql): Promise<boolean> {
  const startedAt = Date.now()
  for (;;) {
    // A connection that is still being opened has neither a user nor a name. It might belong to this process.
    const [row] = await lease`
      select
        count(*)::int as others,
        (count(*) filter (where application_name = 'desk-lease'))::int as leases,
        (count(*) filter (where usesysid is not null and application_name not like 'checkout-desk%'))::int as external
      from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`
    if (!row?.others) return false
    const isWaiting = Date.now() - startedAt <= CLOSING_MS + (isInterrupted && row.leases === 0 ? RENEW_MS : 0)
    if (!isWaiting) return !isInterrupted || row.external > 0
    await pause(50)
  }
}

/** How long to wait while another process starts or stops the server, in milliseconds. */
const LOCK_WAIT_MS = 90_000

/** @throws {EmbeddedError} if a database existed, but is missing from the folder where this process looks for it */
function checkCluster(home: Home, access: Access | undefined, accessFile: string): void {
  if (!access || access.port === 0 || hasCluster(home)) return
  throw new EmbeddedError(
    `There is no database in ${home.cluster}, although ${accessFile} contains its password. Run the command as the server’s user, or, if DATA_DIR was moved or copied, move the database’s files to that folder. To start with an empty database instead, delete ${accessFile}.`,
  )
}

/** Runs `work`. @throws {EmbeddedError} if `dataDir` cannot be used, for example because it belongs to another user */
async function useFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileLockedError)
      throw new EmbeddedError(`${error.message} If it is starting the database, which can take minutes after a crash, wait for it.`, {
        cause: error,
      })
    const { syscall, path, message } = error as NodeJS.ErrnoException
    if (isDiskFull(error))
      throw new EmbeddedError(`Cannot write to DATA_DIR, which is ${dataDir}: ${message}. Free some space and try again.`, { cause: error })
    if (syscall === undefined || path === undefined) throw error
    throw new EmbeddedError(
      `Cannot use DATA_DIR, which is ${dataDir}: ${message}. Set it to the server’s data directory, and run the command as the server’s user.`,
      { cause: error },
    )
  }
}

/**
 * Returns the connection string of the embedded PostgreSQL in `dataDir`, or undefined if it is not running. Does not start it.
 *
 * @throws {EmbeddedError} if the folder cannot be read, or its database is missing
 */
export const findEmbedded = (dataDir: string): Promise<string | undefined> =>
  useFolder(dataDir, async () => {
    const accessFile = join(dataDir, 'postgres.json')
    const access = await readAccess(accessFile)
    if (!access) return undefined
    const home = await findHome(dataDir)
    checkCluster(home, access, accessFile)
    return (await isRunning(home)) ? toUrl({ ...access, port: await readPort(home) }) : undefined
  })

export type JoinOptions = {
  /** Whether to create the folder and the database if they do not exist; true by default. */
  mayCreate?: boolean
  /**
   * Makes this process start PostgreSQL again, on the same port, whenever it is not running. Called once it runs again, and with an error
   * when the first attempt fails.
   */
  onRestart?: (error?: unknown) => void
}

/**
 * Starts the embedded PostgreSQL in `dataDir`. Reuses a server that is already running for another process, or that a killed process left
 * behind.
 *
 * @param dataDir the folder that contains the database
 * @throws {EmbeddedError} if the folder cannot be used, its database is missing, or PostgreSQL does not start
 */
export const joinEmbedded = (dataDir: string, options: JoinOptions = {}): Promise<EmbeddedServer> =>
  useFolder(dataDir, () => open(dataDir, options))

/** The servers that this process uses, is starting, or has used. While it waits for a server's lock, there is nothing to release. */
const joined: Promise<EmbeddedServer>[] = []

/** Releases the servers that this process uses or is starting, even if it still has connections to them. It cannot join others later. */
export async function leaveInterrupted(): Promise<void> {
  isInterrupted = true
  await Promise.allSettled(joined.map(async (joining) => (await joining).leave()))
}

const createMissingError = (dataDir: string) =>
  new EmbeddedError(
    `There is no database in ${resolve(dataDir)}. Set DATA_DIR to the server’s data directory, or DATABASE_URL to use your own PostgreSQL.`,
  )

async function open(dataDir: string, { mayCreate = true, onRestart }: JoinOptions): Promise<EmbeddedServer> {
  if (!mayCreate)
    await stat(dataDir).catch((error) => {
      throw error.code === 'ENOENT' ? createMissingError(dataDir) : error
    })
  const home = await findHome(dataDir)
  const lockPath = join(dataDir, 'postgres.lock')
  const accessFile = join(dataDir, 'postgres.json')
  // If the disk is full, a server that is running can still be used and stopped. PostgreSQL does not start then.
  const withLock = <T>(work: () => Promise<T>) => withFileLock(lockPath, work, LOCK_WAIT_MS, true)

  async function startOrReuse(): Promise<EmbeddedServer> {
    let access = await readAccess(accessFile)
    checkCluster(home, access, accessFile)
    const isNew = !hasCluster(home)
    if (isNew && !mayCreate) throw createMissingError(dataDir)
    if (isNew || !access) {
      if (!isNew)
        throw new EmbeddedError(
          `${home.cluster} contains a database, but ${accessFile}, which stores its password, is missing. Restore that file, or set a new password: docs/operations.md describes how. To start with an empty database instead, move the folder away.`,
        )
      // Keeps the password of a first start that failed: its cluster might be in another folder.
      access ??= { port: 0, password: randomBytes(24).toString('base64url') }
      await writeAccess(accessFile, access)
      await initialize(home, access.password)
    }
    const wasRunning = await waitWhileStarting(home)
    let port: number
    if (wasRunning) port = await readPort(home)
    else {
      const wanted = (access.port && (await findFreePort(access.port))) || (await findFreePort())
      if (!wanted) throw new EmbeddedError('The embedded PostgreSQL needs a free port on 127.0.0.1. Stop other programs and try again.')
      port = wanted
      await start(home, port)
    }
    let lease: Lease
    let hasLeft = false
    let hasReported = false

    /** Starts the server again unless it is running, this process has released it, or it is not to be started again. */
    async function restart(): Promise<void> {
      if (!onRestart) return
      try {
        await withLock(async () => {
          if (hasLeft || (await isRunning(home))) return
          await start(home, port)
          // Before another process can get the lock and, without seeing this lease, stop the server.
          await lease.sql`select 1`
          onRestart()
        })
        hasReported = false
      } catch (error) {
        if (!hasReported) onRestart(error)
        hasReported = true
        await pause(RESTART_MS, undefined, { ref: false })
      }
    }

    try {
      if (port !== access.port) {
        access = { ...access, port }
        await writeAccess(accessFile, access)
      }
      lease = await acquireLease(access, restart)
    } catch (error) {
      // Without a lease, no process would stop the server.
      if (!wasRunning) await stop(home).catch(() => {})
      throw error
    }

    return {
      url: toUrl(access),
      wasRunning,
      leave: () => {
        hasLeft = true
        return useFolder(dataDir, () =>
          withLock(async () => {
            const isLast = !(await hasOtherClients(lease.sql).catch(() => true))
            await lease.end()
            if (isLast) await stop(home)
            return isLast
          }),
        )
      },
    }
  }

  return withLock(() => {
    // Nothing would release a server that is started now.
    if (isInterrupted) throw new EmbeddedError('The process has been interrupted.')
    const joining = startOrReuse()
    joined.push(joining)
    return joining
  })
}
