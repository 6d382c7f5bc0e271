/** Runs the system's PostgreSQL, because the embedded one lacks pg_dump and pg_restore. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findHome } from '@/db/embedded-home'
import { freePort } from '@/testing/free-port'

/** The folder that contains one folder per version on Debian and its derivatives. */
const VERSIONS = '/usr/lib/postgresql'
const MIN_VERSION = 15
const PROGRAMS = ['initdb', 'pg_ctl', 'pg_dump', 'pg_restore']

/** Returns the program folder of the newest version with all of `PROGRAMS`, or undefined if there is none. */
export function findPrograms(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number) : []
  return versions
    .filter((version) => version >= MIN_VERSION)
    .sort((a, b) => b - a)
    .map((version) => join(VERSIONS, String(version), 'bin'))
    .find((bin) => PROGRAMS.every((program) => existsSync(join(bin, program))))
}

export type SystemPostgres = {
  /** Returns the superuser's connection string for a database. */
  toUrl(database: string): string
  /** Runs a program. @throws if it fails */
  run(program: 'pg_dump' | 'pg_restore', ...args: string[]): void
  stop(): void
}

/** Starts a server. @param folder the folder to create its data directory in */
export async function startSystemPostgres(folder: string): Promise<SystemPostgres> {
  const bin = findPrograms() ?? ''
  const { user } = await findHome(folder)
  const cluster = join(folder, 'cluster')
  const port = await freePort()
  mkdirSync(cluster, { mode: 0o700 })
  if (user) chownSync(cluster, user.uid, user.gid)
  const runAsUser = (program: string, args: string[]) => {
    // Do not use pipes, because the server started by pg_ctl would keep them open.
    const { status } = spawnSync(join(bin, program), args, { ...user, cwd: '/', stdio: 'ignore' })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with code ${status}`)
  }
  runAsUser('initdb', ['-D', cluster, '-U', 'postgres', '-A', 'trust', '--encoding=UTF8', '--locale=C.UTF-8'])
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`
  runAsUser('pg_ctl', ['-D', cluster, '-w', '-l', join(cluster, 'log'), '-o', options, 'start'])
  return {
    toUrl: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    run: (program, ...args) => void execFileSync(join(bin, program), args, { stdio: 'pipe' }),
    stop: () => runAsUser('pg_ctl', ['-D', cluster, '-w', '-m', 'fast', 'stop']),
  }
}
