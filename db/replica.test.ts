/** Tests that reads use the primary if the replica is down, hangs or cancels a query because of a recovery conflict. */
// @module-tag slow
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type Database, openDatabase } from './client'
import { createReplica } from './replica'
import { isSchemaMismatch, unavailableReason } from './unavailable'

const PROBE_INTERVAL_MS = 3_600_000

const primaryUrl = String(process.env.TEST_DATABASE_URL)
/** Another database on the same server acts as the replica. The current database's name shows where a statement ran. */
const REPLICA_NAME = 'replica_stand_in'
const PRIMARY_NAME = new URL(primaryUrl).pathname.slice(1)
const replicaUrl = primaryUrl.replace(/\/[^/]*$/, `/${REPLICA_NAME}`)

const admin = postgres(primaryUrl, { max: 1, onnotice: () => {} })
let primary: Database
const opened: Database[] = []

beforeAll(async () => {
  await admin.unsafe(`create database ${REPLICA_NAME}`)
  primary = openDatabase({ url: primaryUrl, max: 4 })
})
afterAll(async () => {
  await Promise.all([primary, ...opened].map((pool) => pool.close(0)))
  await admin.unsafe(`drop database ${REPLICA_NAME} with (force)`)
  await admin.end()
})

afterEach(() => {
  vi.restoreAllMocks()
})

function openReplica(url: string, statementMs?: number) {
  const pool = openDatabase({ url, max: 2, ...(statementMs && { statementMs }) })
  opened.push(pool)
  const changes: boolean[] = []
  const errors: unknown[] = []
  const onChange = (isDown: boolean, error: unknown) => {
    changes.push(isDown)
    if (isDown) errors.push(error)
  }
  return { changes, errors, ...createReplica(pool, primary, onChange, PROBE_INTERVAL_MS) }
}

const readDatabaseName = ({ reads }: { reads: Database }) =>
  reads.use(async ({ rows }) => (await rows<{ name: string }>(sql`select current_database() as name`))[0]?.name)

/** A statement that fails on the replica with the SQLSTATE of a recovery conflict. */
const conflict = sql`do $$ begin
  if current_database() = 'replica_stand_in' then raise exception 'conflict with recovery' using errcode = '40001'; end if; end $$`

it('reads from the replica while it is available', async () => {
  const replica = openReplica(replicaUrl)
  expect([await readDatabaseName(replica), (await replica.tryQuery(async () => 1))?.result, replica.changes]).toEqual([REPLICA_NAME, 1, []])
})

it('reads from the primary if the replica refuses connections, and reports once that it is down', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const replica = openReplica(replicaUrl.replace(/:\d+\//, `:${port}/`))
  expect(await readDatabaseName(replica)).toBe(PRIMARY_NAME)
  expect(await replica.tryQuery(async () => 1)).toBeUndefined()
  expect(replica.changes).toEqual([true])
})

it('reads from the primary if the replica rejects the connection, and reports why', async () => {
  const replica = openReplica(primaryUrl.replace(/\/[^/]*$/, '/no_such_database'))
  expect(await readDatabaseName(replica)).toBe(PRIMARY_NAME)
  expect(await replica.tryQuery(async () => 1)).toBeUndefined()
  expect([replica.changes, replica.errors.map(unavailableReason)]).toEqual([[true], ['connection_rejected']])
})

it('reads from the primary if the replica is a different database without the tables', async () => {
  const replica = openReplica(replicaUrl)
  const count = () =>
    replica.reads.use(({ rows }) => rows<{ count: number }>(sql`select count(*)::int as count from sellers where id = ''`))
  expect([await count(), await readDatabaseName(replica)]).toEqual([[{ count: 0 }], PRIMARY_NAME])
  expect([replica.changes, replica.errors.map(isSchemaMismatch)]).toEqual([[true], [true]])
})

it('reads from the primary after a conflict, and from the replica again once a probe succeeds', async () => {
  const replica = openReplica(replicaUrl)
  await replica.reads.use(({ rows }) => rows(conflict))
  expect([await readDatabaseName(replica), replica.changes]).toEqual([PRIMARY_NAME, [true]])
  const later = Date.now() + PROBE_INTERVAL_MS
  vi.spyOn(Date, 'now').mockReturnValue(later)
  await expect.poll(() => readDatabaseName(replica)).toBe(REPLICA_NAME)
  expect(replica.changes).toEqual([true, false])
})

it('stops waiting for a hanging replica, and does not try it again before the next probe', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  let connections = 0
  silent.on('connection', (socket) => {
    connections += 1
    socket.on('error', () => {})
  })
  const replica = openReplica(replicaUrl.replace(/:\d+\//, `:${port}/`), 100)
  expect(await readDatabaseName(replica)).toBe(PRIMARY_NAME)
  const before = connections
  const names = await Promise.all(Array.from({ length: 20 }, () => readDatabaseName(replica)))
  expect(new Set(names)).toEqual(new Set([PRIMARY_NAME]))
  // These reads do not use the replica. The pool can reconnect once in the background.
  expect(connections - before).toBeLessThanOrEqual(1)
  silent.close()
})

it('`tryQuery` returns undefined if a query is slow, and later reads use the primary', async () => {
  const replica = openReplica(replicaUrl)
  expect(await replica.tryQuery(({ rows }) => rows(sql`select pg_sleep(2)::text`))).toBeUndefined()
  expect([await readDatabaseName(replica), replica.changes]).toEqual([PRIMARY_NAME, [true]])
})

it('rejects with the error of a failed statement and keeps using the replica', async () => {
  const replica = openReplica(replicaUrl)
  await expect(replica.reads.use(({ rows }) => rows(sql`select 1 / 0`))).rejects.toMatchObject({ code: '22012' })
  expect(replica.changes).toEqual([])
})
