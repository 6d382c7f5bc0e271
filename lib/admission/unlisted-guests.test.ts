/** Check-outs of guests without a ticket can be concurrent and can be retried on another server, and their number is limited. */
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { type Connection, database } from '@/db/client'
import { offlineScans } from '@/db/schema'
import { withoutCommit } from '@/testing/admission'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { changeOnce, type TicketResult } from './change-ticket'
import { decideValidation, type TicketContext } from './decide'
import { retryConcurrentChange } from './idempotency-keys'
import { purgeAttempts } from './purge-attempts'
import { recountOccupancy } from './recount-occupancy'
import { assignExits, findDigest, linkExits, matchExits } from './unlisted-guests'

beforeAll(openTestDatabase)

/** Checks a guest out with a code that belongs to no ticket. @returns the ID of the exit */
async function checkOut(sellerId: string, code: string): Promise<string> {
  const input = { code, checkIn: true, direction: 'out' as const, metadata: [], actorId: 'user', idempotencyKey: randomUUID() }
  const decide = (context: TicketContext) => decideValidation(context, input)
  const serialize = () => ({ status: 200, body: '' })
  await database('doors').transaction((connection) =>
    changeOnce(connection, 'validation', { ...input, sellerId, body: {} }, decide, serialize),
  )
  return input.idempotencyKey
}

/** Returns the IDs of a seller's offline scans. */
async function readIds(sellerId: string): Promise<string[]> {
  const scans = await database().use(({ rows }) =>
    rows<{ id: string }>(sql`select id from offline_scans where seller_id = ${sellerId} order by corrected_at, id`),
  )
  return scans.map(({ id }) => id)
}

it('returns the first response if an exit is concurrently retried on another server', async () => {
  const sellerId = await makeSeller()
  const input = { code: 'no ticket', checkIn: true, direction: 'out' as const, metadata: [], actorId: 'user', idempotencyKey: randomUUID() }
  const change = { ...input, sellerId, body: {} }
  const decide = (context: TicketContext) => decideValidation(context, input)
  const serialize = ({ outcome }: TicketResult) => ({ status: 200, body: outcome })
  // Bypasses the mutex, which works only within one server.
  const once = (connection: Connection) => changeOnce(connection, 'validation', change, decide, serialize)
  const retries: Promise<unknown>[] = []
  const first = await database('doors').transaction(async (connection) => {
    const result = await once(withoutCommit(connection))
    retries.push(retryConcurrentChange(() => database('doors').transaction(once)).catch((error: unknown) => error))
    await untilBlocking(connection)
    return result
  })
  const [second] = await Promise.all(retries)
  expect(first.result).toEqual({ outcome: 'unknown' })
  expect(second).toMatchObject({ response: first.response })
  expect(second).not.toHaveProperty('result')
})

it('limits the exits of a code without a ticket to the last 20, and deletes them after 400 days', async () => {
  const sellerId = await makeSeller()
  const other = await checkOut(sellerId, 'another code')
  const ids: string[] = []
  for (let count = 0; count < 22; count += 1) ids.push(await checkOut(sellerId, 'no ticket'))
  expect(await readIds(sellerId)).toEqual([other, ...ids.slice(2)])
  await database().use(({ rows }) =>
    rows(sql`update offline_scans set arrived_at = now() - interval '400 days' where seller_id = ${sellerId} and id <> ${ids[21]}`),
  )
  await purgeAttempts()
  expect(await readIds(sellerId)).toEqual([ids[21]])
})

it('keeps the exits of a ticket even if a ticket whose code differs only in case has 20 later ones', async () => {
  const sellerId = await makeSeller()
  await importLines('tickets', sellerId, [minimal('tickets', { qrCode: 'GUEST' }), minimal('tickets', { qrCode: 'guest' })])
  const exit = await checkOut(sellerId, 'GUEST')
  for (let count = 0; count < 20; count += 1) await checkOut(sellerId, 'guest')
  expect(await readIds(sellerId)).toContain(exit)
})

it('keeps an exit whose entry was reported after it, because the guest would otherwise be inside again', async () => {
  const sellerId = await makeSeller()
  const exit = await checkOut(sellerId, 'no ticket')
  const digest = await database('doors').use((connection) => findDigest(connection, sellerId, { code: 'no ticket' }))
  await database('doors').transaction(async (connection) => {
    await connection.rows(sql`
      insert into ${offlineScans} (seller_id, id, actor_id, method, decision, conflict, claimed_at, corrected_at, code_digest)
      values (${sellerId}, 'entry', 'device', 'QRSCAN', 'admitted', 'unknown_code', to_timestamp(1), to_timestamp(1), ${digest})`)
    await matchExits(connection, sellerId, digest)
  })
  await database().use(({ rows }) =>
    rows(sql`update offline_scans set arrived_at = now() - interval '400 days' where seller_id = ${sellerId}`),
  )
  await purgeAttempts()
  expect([await readIds(sellerId), await recountOccupancy(false, sellerId)]).toEqual([['entry', exit], []])
})

it('lets out different guests if two exits of a code are concurrent', async () => {
  const sellerId = await makeSeller()
  const digest = Buffer.alloc(32)
  const store = ({ rows }: Connection, id: string, direction: string, seconds: number) =>
    rows(sql`
      insert into ${offlineScans} (seller_id, id, actor_id, method, direction, decision, claimed_at, corrected_at, code_digest)
      values (${sellerId}, ${id}, 'device', 'QRSCAN', ${direction}, 'admitted', to_timestamp(${seconds}), to_timestamp(${seconds}), ${digest})`)
  const leave = async (connection: Connection, id: string, seconds: number) => {
    await store(connection, id, 'out', seconds)
    return matchExits(connection, sellerId, digest)
  }
  const doors = database('doors')
  await doors.use((connection) => store(connection, 'entry 1', 'in', 1))
  await doors.use((connection) => store(connection, 'entry 2', 'in', 2))
  const later: Promise<Set<string>>[] = []
  const first = await doors.transaction(async (connection) => {
    const exits = await leave(connection, 'exit 1', 3)
    later.push(doors.transaction((other) => leave(other, 'exit 2', 4)))
    await untilBlocking(connection)
    return exits
  })
  expect([first, ...(await Promise.all(later))]).toEqual([new Set(['exit 1']), new Set(['exit 1', 'exit 2'])])
  const left = await doors.use(({ rows }) => rows(sql`select id from offline_scans where seller_id = ${sellerId} and has_left order by id`))
  expect(left).toEqual([{ id: 'entry 1' }, { id: 'entry 2' }])
})

it.each(['linked', 'assigned'])('causes no deadlock if an exit is matched while it is being %s', async (kind) => {
  const sellerId = await makeSeller()
  const ticket = { id: 'ticket', code: 'no ticket' }
  const doors = database('doors')
  const exit = await checkOut(sellerId, ticket.code)
  if (kind === 'assigned') await doors.use((connection) => linkExits(connection, sellerId, ticket))
  const report = async (connection: Connection) => {
    if (kind === 'linked') await linkExits(connection, sellerId, ticket)
    const digest = await findDigest(connection, sellerId, { code: ticket.code, ticketId: ticket.id })
    await assignExits(connection, sellerId, ticket.id, new Set([exit]), digest)
  }
  const later: Promise<unknown>[] = []
  await doors.transaction(async (connection) => {
    const digest = await findDigest(connection, sellerId, { code: ticket.code })
    await matchExits(connection, sellerId, digest)
    later.push(doors.transaction(report))
    await untilBlocking(connection)
    await connection.rows(sql`
      insert into ${offlineScans} (seller_id, id, actor_id, method, decision, conflict, claimed_at, corrected_at, code_digest)
      values (${sellerId}, 'entry', 'device', 'QRSCAN', 'admitted', 'unknown_code', to_timestamp(1), to_timestamp(1), ${digest})`)
    expect(await matchExits(connection, sellerId, digest)).toEqual(new Set([exit]))
  })
  await Promise.all(later)
  const left = await doors.use(({ rows }) => rows(sql`select id from offline_scans where seller_id = ${sellerId} and has_left`))
  // The exit has let out the ticket's guest instead.
  expect(left).toEqual([{ id: exit }])
})

it('ignores an exit if its code has more than 1,000 scans, because matching them would take too long', async () => {
  const sellerId = await makeSeller()
  const digest = Buffer.alloc(32)
  await database('doors').transaction(async (connection) => {
    const store = (ids: string, direction: string, from: number, to: number) =>
      connection.rows(sql`
        insert into ${offlineScans} (seller_id, id, actor_id, method, direction, decision, claimed_at, corrected_at, code_digest)
        select ${sellerId}, ${ids} || n, 'device', 'QRSCAN', ${direction}, 'admitted', to_timestamp(n), to_timestamp(n), ${digest}
        from generate_series(${from}::int, ${to}::int) as n`)
    await store('entry ', 'in', 1, 999)
    await store('exit ', 'out', 1_000, 1_000)
    expect(await matchExits(connection, sellerId, digest)).toEqual(new Set(['exit 1000']))
    await store('exit ', 'out', 1_001, 1_001)
    expect(await matchExits(connection, sellerId, digest)).toEqual(new Set())
  })
})
