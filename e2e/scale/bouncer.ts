/** Runs Debian's PgBouncer in transaction mode with the configuration from deploy/pgbouncer. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { expect } from 'playwright/test'
import { freePort } from '@/testing/free-port'
import { makeTemporaryFolder } from '@/testing/postgres'
import type { Cluster } from './cluster'
import { findUnprivilegedUser } from './programs'

/** Returns whether a port on this machine accepts connections. */
const isListening = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => done(true)).on('error', () => done(false))
    socket.on('connect', () => socket.destroy())
  })

/** Returns PgBouncer's version and, as in deploy/pgbouncer/start.sh, whether it supports prepared statements. */
function readVersion(env: NodeJS.ProcessEnv) {
  const [version = '', minor] = /^PgBouncer 1\.(\d+)\S*/.exec(execFileSync('pgbouncer', ['-V'], { env, encoding: 'utf8' })) ?? []
  return { version, supportsPrepared: Number(minor) >= 21 }
}

/** Starts PgBouncer. @returns a connection string for the database via PgBouncer, and functions that return its output and stop it */
export async function startBouncer({ port, appPassword }: Cluster): Promise<{ url: string; output(): string; stop(): Promise<void> }> {
  const folder = await makeTemporaryFolder()
  const user = findUnprivilegedUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const listenPort = await freePort()
  const env = {
    ...process.env,
    PATH: `${process.env.PATH}:/usr/sbin`,
    DESK_DB_HOST: '127.0.0.1',
    DESK_DB_PORT: String(port),
    DESK_APP_PASSWORD: appPassword,
    LISTEN_PORT: String(listenPort),
    CONFIG_DIR: folder,
  }
  const { version, supportsPrepared } = readVersion(env)
  process.stdout.write(`${version}, ${supportsPrepared ? 'with' : 'without'} prepared statements\n`)
  const child = spawn('sh', [resolve('deploy/pgbouncer/start.sh')], { ...user, cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  await expect.poll(() => child.exitCode !== null || isListening(listenPort)).toBe(true)
  expect(child.exitCode, output).toBeNull()
  return {
    url: `postgres://desk_app:${appPassword}@127.0.0.1:${listenPort}/desk${supportsPrepared ? '' : '?prepare=false'}`,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
