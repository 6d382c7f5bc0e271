/** A replica that is away, hangs or is in conflict costs a reader little, and nobody an answer. */
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, openDatabase } from './client'
import { createReplica } from './replica'

/** Long enough for a test's statements to fall into it. */
const REST_MS = 500

const primaryUrl = String(process.env.TEST_DATABASE_URL)
/** Another database of the same server: what was asked tells by its name where it was asked. */
const NAME = 'stands_for_a_replica'
const PRIMARY = new URL(primaryUrl).pathname.slice(1)
const replicaUrl = primaryUrl.replace(/\/[^/]*$/, `/${NAME}`)

const admin = postgres(primaryUrl, { max: 1, onnotice: () => {} })
let primary: Database
const opened: Database[] = []

beforeAll(async () => {
  await admin.unsafe(`create database ${NAME}`)
  primary = openDatabase({ url: primaryUrl, max: 4 })
})
afterAll(async () => {
  await Promise.all([primary, ...opened].map((pool) => pool.close(0)))
  await admin.unsafe(`drop database ${NAME} with (force)`)
  await admin.end()
})

function replicaAt(url: string, statementMs?: number) {
  const pool = openDatabase({ url, max: 2, ...(statementMs && { statementMs }) })
  opened.push(pool)
  const told: boolean[] = []
  return { told, ...createReplica(pool, primary, (away) => told.push(away), REST_MS) }
}

const where = ({ reads }: { reads: Database }) =>
  reads.use(async ({ rows }) => (await rows<{ name: string }>(sql`select current_database() as name`))[0]?.name)

/** A statement of the class that a replica ends a read with that stands in the way of what it replays. */
const conflict = sql`do $$ begin
  if current_database() = 'stands_for_a_replica' then raise exception 'conflict with recovery' using errcode = '40001'; end if; end $$`

it('reads there as long as it answers', async () => {
  const replica = replicaAt(replicaUrl)
  expect([await where(replica), (await replica.ask(async () => 1))?.answer, replica.told]).toEqual([NAME, 1, []])
})

it('reads on the primary where nothing listens, and asks again only after a rest, behind everybody’s back', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const replica = replicaAt(replicaUrl.replace(/:\d+\//, `:${port}/`))
  expect(await where(replica)).toBe(PRIMARY)
  expect(await replica.ask(async () => 1)).toBeUndefined()
  expect(replica.told).toEqual([true])
})

it('reads on the primary during a conflict, and there again when it has answered', async () => {
  const replica = replicaAt(replicaUrl)
  await replica.reads.use(({ rows }) => rows(conflict))
  expect([await where(replica), replica.told]).toEqual([PRIMARY, [true]])
  await expect.poll(() => where(replica)).toBe(NAME)
  expect(replica.told).toEqual([true, false])
})

it('waits for one that hangs no longer than for a statement, and not again', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const asked: string[] = []
  silent.on('connection', (socket) => {
    asked.push('asked')
    socket.on('error', () => {})
  })
  const replica = replicaAt(replicaUrl.replace(/:\d+\//, `:${port}/`), 100)
  expect(await where(replica)).toBe(PRIMARY)
  const before = asked.length
  expect(await Promise.all(Array.from({ length: 20 }, () => where(replica)))).toEqual(Array.from({ length: 20 }, () => PRIMARY))
  // The pool itself reconnects; of the twenty none has.
  expect(asked.length - before).toBeLessThanOrEqual(1)
  silent.close()
})

it('asks what it asks before a read for a moment only', async () => {
  const replica = replicaAt(replicaUrl)
  expect(await replica.ask(({ rows }) => rows(sql`select pg_sleep(2)::text`))).toBeUndefined()
  expect([await where(replica), replica.told]).toEqual([PRIMARY, [true]])
})

it('gives a statement that is wrong to nobody else', async () => {
  const replica = replicaAt(replicaUrl)
  await expect(replica.reads.use(({ rows }) => rows(sql`select 1 / 0`))).rejects.toMatchObject({ code: '22012' })
  expect(replica.told).toEqual([])
})
