/** Finds and runs Debian's PostgreSQL and PgBouncer. They refuse to run as root, so if this process is root, they run as `postgres`. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The folder that contains one folder per version. */
const VERSIONS = '/usr/lib/postgresql'

/** Returns the program folder of the newest PostgreSQL. @throws if none is installed */
export function findPostgresPrograms(): string {
  const versions = (existsSync(VERSIONS) ? readdirSync(VERSIONS) : []).sort((a, b) => Number(b) - Number(a))
  const found = versions.map((version) => join(VERSIONS, version, 'bin')).find((folder) => existsSync(join(folder, 'pg_basebackup')))
  if (!found) throw new Error(`No PostgreSQL is installed in ${VERSIONS}. On Debian: apt-get install postgresql.`)
  return found
}

/** Returns the IDs of the user `postgres` if this process runs as root, or undefined to run as the current user. */
export function findUnprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Runs a program and waits until it exits. @throws with its output if it fails */
export function run(program: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...findUnprivilegedUser(),
      cwd: '/',
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', reject)
    // Listen to 'exit' instead of 'close', because the server started by pg_ctl outlives it and keeps its output open.
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args.join(' ')} exited with code ${code}:\n${output}`)),
    )
  })
}
