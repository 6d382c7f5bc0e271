/** Runs Debian's PostgreSQL in a temporary directory: a migrated primary and its streaming replicas. */
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { migrateDatabase } from '@/db/migrate'
import { freePort } from '@/testing/free-port'
import { createTemplate, makeTemporaryFolder } from '@/testing/postgres'
import { findPostgresPrograms, findUnprivilegedUser, run } from './programs'

/** The name of both the owner and the database in deploy/. */
const USER = 'desk'

/** A PostgreSQL server. */
export type Node = {
  /** The connection string for the owner of the tables. */
  url: string
  /** The connection string for the user that Checkout Desk connects as. */
  serverUrl: string
  port: number
  /** Runs pg_ctl on this server. */
  control(...args: string[]): Promise<void>
  start(): Promise<void>
}

export type Cluster = Node & {
  folder: string
  /** The password of the user that Checkout Desk connects as. */
  appPassword: string
  /** Adds and starts a streaming replica. */
  addReplica(): Promise<Node>
  /** Stops all servers and deletes their data. */
  remove(): Promise<void>
}

/** Starts the primary and sets up its database as in deploy/. */
export async function startCluster(): Promise<Cluster> {
  const bin = findPostgresPrograms()
  const user = findUnprivilegedUser()
  const folder = await makeTemporaryFolder({ isOnDisk: true })
  const password = randomBytes(18).toString('hex')
  const nodes: Node[] = []

  const makeNode = async (data: string): Promise<Node> => {
    const port = await freePort()
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${USER}`
    const control = (...args: string[]) => run(join(bin, 'pg_ctl'), ['-D', data, ...args])
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200`
    const start = () => control('-w', '-l', join(data, 'server.log'), '-o', options, 'start')
    const node = { url, serverUrl: '', port, control, start }
    nodes.push(node)
    return node
  }
  const makeFolder = (name: string) => {
    const data = join(folder, name)
    mkdirSync(data, { mode: 0o700 })
    if (user) chownSync(data, user.uid, user.gid)
    return data
  }

  const data = makeFolder('primary')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  await run(join(bin, 'initdb'), [
    ...['-D', data, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
  ])
  const primary = await makeNode(data)
  await primary.start()
  await run(join(bin, 'createdb'), ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER, USER], { PGPASSWORD: password })
  const appPassword = randomBytes(18).toString('hex')
  await run('sh', [resolve('deploy/postgres/create-app-user.sh')], {
    PATH: `${bin}:${process.env.PATH}`,
    PGHOST: '127.0.0.1',
    PGPORT: String(primary.port),
    PGPASSWORD: password,
    POSTGRES_USER: USER,
    POSTGRES_DB: USER,
    DESK_APP_PASSWORD: appPassword,
  })
  await migrateDatabase(primary.url)
  const serverUrl = primary.url.replace(`${USER}:${password}`, `desk_app:${appPassword}`)
  await createTemplate(primary.url)

  return {
    ...primary,
    serverUrl,
    folder,
    appPassword,
    addReplica: async () => {
      const copy = makeFolder(`replica-${nodes.length}`)
      const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', USER]
      await run(join(bin, 'pg_basebackup'), ['-D', copy, '-R', '-X', 'stream', '-c', 'fast', '--no-sync', ...from], {
        PGPASSWORD: password,
      })
      const node = await makeNode(copy)
      await node.start()
      return { ...node, serverUrl: serverUrl.replace(`:${primary.port}/`, `:${node.port}/`) }
    },
    remove: async () => {
      for (const { control } of nodes.reverse()) await control('-w', '-m', 'immediate', 'stop').catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}
