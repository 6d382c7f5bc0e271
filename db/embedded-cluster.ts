/** Creates, starts and stops the embedded PostgreSQL's data directory with PostgreSQL's own programs. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EmbeddedError, type Home } from './embedded-home'

/** The name of the database and of the user who owns it. */
export const DATABASE = 'desk'

const SETTINGS = `
# Checkout Desk: reachable only over loopback, with a password.
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
password_encryption = 'scram-sha-256'
max_connections = 100
shared_buffers = '256MB'
max_wal_size = '2GB'
jit = off
`

type Output = { code: number | null; text: string }

/**
 * Runs one of PostgreSQL's programs. If this process handles SIGINT, Ctrl-C does not reach the program: otherwise, pg_ctl would end before
 * the server has started, and this process could not stop the server. If Ctrl-C ends this process, it also ends the program.
 */
function run(home: Home, program: string, args: string[]): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(home.bin, program), args, {
      ...home.user,
      cwd: home.user ? '/' : undefined,
      detached: process.platform !== 'win32' && process.listenerCount('SIGINT') > 0,
      env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', SYSTEMROOT: process.env.SYSTEMROOT },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    const collect = (chunk: Buffer) => {
      text += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', reject)
    // Listens for 'exit' instead of 'close', because the server that pg_ctl starts keeps the pipes open.
    child.on('exit', (code) => resolve({ code, text }))
  })
}

/** Runs one of PostgreSQL's programs. @throws {EmbeddedError} if it fails */
async function mustRun(home: Home, program: string, args: string[]): Promise<void> {
  const { code, text } = await run(home, program, args)
  if (code !== 0) throw new EmbeddedError(`The embedded PostgreSQL’s ${program} failed: ${text.trim() || `exit code ${code}`}`)
}

const setOwner = async (home: Home, path: string) => {
  if (home.user) await chown(path, home.user.uid, home.user.gid)
}

/** Creates the cluster in a draft folder and renames it once it is complete, so that an interrupted run leaves no partial cluster. */
export async function initialize(home: Home, password: string): Promise<void> {
  const draft = `${home.cluster}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await setOwner(home, draft)
  const secrets = await mkdtemp(join(tmpdir(), 'desk-'))
  const passwordFile = join(secrets, 'password')
  try {
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
    await setOwner(home, secrets)
    await setOwner(home, passwordFile)
    await mustRun(home, 'initdb', [
      `--pgdata=${draft}`,
      `--username=${DATABASE}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ])
  } finally {
    await rm(secrets, { recursive: true, force: true })
  }
  const settings = join(draft, 'postgresql.auto.conf')
  await writeFile(settings, SETTINGS)
  await setOwner(home, settings)
  await rename(draft, home.cluster)
}

export const hasCluster = (home: Home) => existsSync(join(home.cluster, 'PG_VERSION'))

const getPidFile = (home: Home) => join(home.cluster, 'postmaster.pid')

/** Reads a line of postmaster.pid (PostgreSQL manual, "Database File Layout"). */
const readPidFile = async (home: Home, index: number) => Number((await readFile(getPidFile(home), 'utf8')).split('\n')[index])

export const readPort = (home: Home) => readPidFile(home, 3)

/**
 * Returns whether another program has the process ID of a server that was killed. In a restarted container, the same IDs are assigned
 * again, and PostgreSQL's programs check only whether the process exists. Only Linux provides the name.
 */
async function isPidReused(home: Home): Promise<boolean> {
  const name = await readFile(`/proc/${await readPidFile(home, 0)}/comm`, 'utf8').catch(() => undefined)
  return name !== undefined && name !== 'postgres\n'
}

export const isRunning = async (home: Home) =>
  existsSync(getPidFile(home)) && !(await isPidReused(home)) && (await run(home, 'pg_ctl', ['status', '-D', home.cluster])).code === 0

/** How often to check whether a server that another process started is ready, in milliseconds. */
const POLL_MS = 200

/**
 * Waits while a server that another process started is starting, which includes recovery after a crash. Until then, it rejects connections.
 *
 * @returns whether the server is running
 */
export async function waitWhileStarting(home: Home): Promise<boolean> {
  while (await isRunning(home)) {
    const lines = await readFile(getPidFile(home), 'utf8').catch(() => '')
    // The status is added a moment after the file is created.
    if (!/^(|starting *)$/.test(lines.split('\n')[7] ?? '')) return true
    await pause(POLL_MS)
  }
  return false
}

/** A process ID that Linux does not assign. */
const UNUSED_PID = 2 ** 22 + 1

/** Lets PostgreSQL start even if another program now has the earlier server's process ID. Keeps the file for PostgreSQL's other checks. */
async function replaceReusedPid(home: Home): Promise<void> {
  if (!existsSync(getPidFile(home)) || !(await isPidReused(home))) return
  const [, ...lines] = (await readFile(getPidFile(home), 'utf8')).split('\n')
  await writeFile(getPidFile(home), [UNUSED_PID, ...lines].join('\n'))
}

/**
 * How long to wait until the server is ready, in seconds: practically forever, because recovery after a crash can take hours on a slow disk.
 * If it were interrupted, it would start over. If the server exits, pg_ctl does not wait.
 */
const START_SECONDS = 10_000_000

/** Starts the server, and waits until it is ready. @throws {EmbeddedError} if it exits instead */
export async function start(home: Home, port: number): Promise<void> {
  await replaceReusedPid(home)
  const log = join(home.cluster, 'server.log')
  // Omits the DETAIL of errors, which quotes values such as email addresses and ticket codes. The option is on the command line, because
  // clusters that older versions created lack the setting.
  const options = `-p ${port} -c log_error_verbosity=terse`
  const wait = ['-w', '-t', String(START_SECONDS)]
  const { code, text } = await run(home, 'pg_ctl', ['start', ...wait, '-D', home.cluster, '-l', log, '-o', options])
  if (code === 0) return
  const logText = await readFile(log, 'utf8').catch(() => '')
  throw new EmbeddedError(`The embedded PostgreSQL did not start: ${text.trim()}\n${logText.split('\n').slice(-8).join('\n')}`)
}

/** Stops the server. @throws {EmbeddedError} if it does not stop within 60 seconds */
export const stop = (home: Home) => mustRun(home, 'pg_ctl', ['stop', '-w', '-m', 'fast', '-D', home.cluster])
