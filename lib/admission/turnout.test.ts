/**
 * The check-in counts equal a naive count of the tickets after every kind of change, and counting does not make check-ins wait for one
 * another.
 */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { serializeResult } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { recountSums } from '../reports/recount-sums'
import { undoCheckIn, validateTicket } from './change-ticket'
import { purgeAttempts } from './purge-attempts'
import { countTurnout } from './turnout'

withOwnDatabase()

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))
const PAGES = ['abcdefabcdefabcdefabcdef', 'abcdefabcdefabcdefabcde0']

const admission = (sellerId: string, code: unknown) => ({
  sellerId,
  code: String(code),
  metadata: [],
  checkIn: true,
  actorId: 'door',
  body: {},
})
const admit = (seller: string, code: unknown) => validateTicket(admission(seller, code), serializeResult)

/** Returns the numbers of attended and sold tickets, for one event or for all. */
async function readCounts(seller: string, pageId?: string): Promise<[attended: number, sold: number]> {
  const { attended, sold } = await countTurnout(seller, pageId)
  return [attended, sold]
}

class RollbackError extends Error {}

type Attempt = { outcome?: string; pageId?: string | null; count?: number; run?: (query: ReturnType<typeof sql>) => Promise<unknown> }

/** Writes attempts at the start of the clock minute that was `ago` minutes ago. */
const attempt = (seller: string, ago: number, { outcome = 'admitted', pageId = null, count = 1, run: write = run }: Attempt = {}) =>
  write(sql`
    insert into validation_attempts (seller_id, at, outcome, actor_id, page_id)
    select ${seller}, date_trunc('minute', now()) - make_interval(mins => ${ago}), ${outcome}, 'door', ${pageId}
    from generate_series(1, ${count}::int)`)

/** Runs `work` and returns its result. Runs it again if a new clock minute has started in the meantime. */
async function withinMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = () => Math.floor(Date.now() / 60_000)
    const start = minute()
    const result = await work()
    if (minute() === start) return result
  }
}

describe('the check-in counts', () => {
  it('reflect imports, check-ins, an undo, cancellations and refunds, by event and type', async () => {
    const seller = await makeSeller()
    const booking = minimal('bookings', {
      status: 'paid',
      tickets: [
        { name: 'Standing', ticketTypeId: 'standing', quantity: 2 },
        { name: 'Balcony', ticketTypeId: 'balcony', quantity: 1 },
      ],
      pageId: PAGES[0],
    })
    await importLines('bookings', seller, [booking])
    const other = minimal('tickets', { pageId: PAGES[1], qrCode: 'other' })
    await importLines('tickets', seller, [other, minimal('tickets', { qrCode: 'none' }), minimal('tickets', { status: 'CANCELED' })])
    const none = { inside: 0, attended: 0 }
    expect(await countTurnout(seller, undefined)).toMatchObject({
      ...none,
      sold: 5,
      types: [
        { id: '', name: '', ...none, sold: 2 },
        { id: 'standing', name: 'Standing', ...none, sold: 2 },
        { id: 'balcony', name: 'Balcony', ...none, sold: 1 },
      ],
    })
    const codes = await run<{ id: string; code: string; page: string }>(
      sql`select id, qr_code as code, page_id as page from tickets where seller_id = ${seller} and page_id = ${PAGES[0]}`,
    )
    for (const { code } of codes) await admit(seller, code)
    // A second scan of the same ticket is not counted.
    await admit(seller, codes[0]?.code)
    await admit(seller, 'other')
    expect([await readCounts(seller), await readCounts(seller, PAGES[0]), await readCounts(seller, PAGES[1])]).toEqual([
      [4, 5],
      [3, 3],
      [1, 1],
    ])
    const undo = { sellerId: seller, ticketId: String(codes[0]?.id), sequence: 1, reason: 'wrong door', actorId: 'door', body: {} }
    await undoCheckIn(undo, serializeResult)
    expect(await readCounts(seller, PAGES[0])).toEqual([2, 3])
    await importLines('tickets', seller, [{ ...other, pageId: PAGES[0], ticketTypeId: 'moved' }])
    expect([await readCounts(seller, PAGES[0]), await readCounts(seller, PAGES[1])]).toEqual([
      [3, 4],
      [0, 0],
    ])
    await importLines('bookings', seller, [{ ...booking, status: 'refunded' }])
    // Guests whose booking is refunded stay inside until they leave.
    expect(await countTurnout(seller, PAGES[0])).toMatchObject({ sold: 1, attended: 1, inside: 3 })
    await importLines('bookings', seller, [{ ...booking, status: 'paid' }])
    expect(await readCounts(seller, PAGES[0])).toEqual([3, 4])
    expect(await recountSums(false)).toEqual([])
  })

  it('always equal a naive count while guests are checked in, imports run, and transactions roll back', async () => {
    const seller = await makeSeller()
    const line = (number: number, round: number): Line =>
      minimal('tickets', {
        id: number.toString(16).padStart(24, '0'),
        qrCode: `code-${number}`,
        pageId: PAGES[(number + round) % 3],
        ticketTypeId: ['a', 'b', undefined][(number * 7 + round) % 3],
        status: (number + round) % 5 === 0 ? 'CANCELED' : 'PAID',
      })
    const numbers = Array.from({ length: 60 }, (_, number) => number)
    await importLines(
      'tickets',
      seller,
      numbers.map((number) => line(number, 0)),
    )
    let isWriting = true
    const doors = Array.from({ length: 4 }, async (_, door) => {
      for (const number of numbers) await admit(seller, `code-${(number * 13 + door * 17) % numbers.length}`)
    })
    const imports = (async () => {
      for (let round = 1; round < 5; round += 1) {
        await importLines(
          'tickets',
          seller,
          numbers.filter((number) => number % 3 === round % 3).map((number) => line(number, round)),
        )
        await database()
          .transaction(async ({ rows }) => {
            await rows(sql`update tickets set check_in_status = 'CHECKEDIN' where seller_id = ${seller} and id < ${'f'.repeat(24)} and id in (
              select id from tickets where seller_id = ${seller} order by id limit ${round} for update skip locked)`)
            throw new RollbackError()
          })
          .catch((error: unknown) => {
            if (!(error instanceof RollbackError)) throw error
          })
      }
    })()
    const differenceCounts: number[] = []
    const watcher = (async () => {
      while (isWriting) differenceCounts.push((await recountSums(false)).length)
    })()
    await Promise.all([...doors, imports])
    isWriting = false
    await watcher
    expect(differenceCounts.length).toBeGreaterThan(3)
    expect(differenceCounts.filter((count) => count > 0)).toEqual([])
    for (const pageId of [undefined, ...PAGES]) {
      const naive = await run<{ id: string; sold: number; attended: number; inside: number }>(sql`
        select coalesce(record ->> 'ticketTypeId', '') as id, count(*) filter (where status = 'PAID')::int as sold,
          count(*) filter (where status = 'PAID' and check_in_status = 'CHECKEDIN')::int as attended,
          count(*) filter (where check_in_status = 'CHECKEDIN')::int as inside
        from tickets where seller_id = ${seller} ${pageId === undefined ? sql`` : sql`and page_id = ${pageId}`}
        group by 1 order by 2 desc, 1`)
      const stored = (await countTurnout(seller, pageId)).types
      expect(stored.map(({ id, sold, attended, inside }) => ({ id, sold, attended, inside }))).toEqual(naive)
    }
    await run(sql`truncate tickets cascade`)
    expect(await readCounts(seller)).toEqual([0, 0])
  })

  it('include the admissions in each of the last 15 minutes, and refusals by reason', async () => {
    const seller = await makeSeller()
    await importLines('tickets', seller, [minimal('tickets', { qrCode: 'in' }), minimal('tickets', { qrCode: 'out', status: 'CANCELED' })])
    for (const code of ['in', 'in', 'in', 'out', 'nobody']) await admit(seller, code)
    const { perMinute, scans } = await countTurnout(seller, undefined)
    expect(perMinute).toHaveLength(15)
    expect(perMinute.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(scans).toEqual({ admitted: 1, already_checked_in: 2, canceled: 1, unknown: 1 })
    const { now, first, before } = await withinMinute(async () => {
      const [another, older] = [await makeSeller(), await makeSeller()]
      await attempt(another, 0)
      await attempt(another, 14)
      await attempt(older, 15)
      const [recent, before] = [await countTurnout(another, undefined), await countTurnout(older, undefined)]
      return { now: recent.perMinute.at(-1), first: recent.perMinute[0], before: before.perMinute }
    })
    expect([now, first, before]).toEqual([1, 1, Array(15).fill(0)])
  })

  it('include admissions per minute that equal a naive count after scans were written, deleted and rolled back concurrently', async () => {
    const seller = await makeSeller()
    await Promise.all(
      Array.from({ length: 6 }, async (_, door) => {
        for (let round = 0; round < 25; round += 1) {
          const ago = (door * 7 + round * 3) % 19
          const outcome = round % 4 === 0 ? 'previewed' : 'admitted'
          const write = () => attempt(seller, ago, { outcome, pageId: [...PAGES, null][(door + round) % 3], count: 1 + (round % 3) })
          if (round % 6 === 0)
            await database()
              .transaction(async (connection) => {
                await attempt(seller, ago, { run: (query) => connection.rows(query) })
                throw new RollbackError()
              })
              .catch((error: unknown) => {
                if (!(error instanceof RollbackError)) throw error
              })
          else if (round % 9 === 0)
            await run(sql`delete from validation_attempts where seller_id = ${seller} and id in (
              select id from validation_attempts where seller_id = ${seller} and actor_id = 'door' limit 2 for update skip locked)`)
          else await write()
        }
      }),
    )
    for (const pageId of [undefined, ...PAGES]) {
      const [stored, naive] = await withinMinute(async () => [
        (await countTurnout(seller, pageId)).perMinute,
        await run<{ count: number }>(sql`
          select count(attempt)::int as count from generate_series(14, 0, -1) as ago left join validation_attempts as attempt
            on attempt.seller_id = ${seller} and outcome = 'admitted' and (${pageId ?? null}::text is null or page_id = ${pageId ?? null})
            and date_trunc('minute', at) = date_trunc('minute', now()) - make_interval(mins => ago)
          group by ago order by ago desc`),
      ])
      expect(naive.some(({ count }) => count > 1)).toBe(true)
      expect(stored).toEqual(naive.map(({ count }) => count))
    }
    expect(await recountSums(false)).toEqual([])
  })

  it('keep the admissions per minute for a day', async () => {
    const seller = await makeSeller()
    await attempt(seller, 0)
    const minutes = async () => (await run(sql`select 1 from admission_counts where seller_id = ${seller}`)).length
    await run(sql`
      insert into admission_counts select seller_id, minute - interval '1 day 1 minute', page_id, slot, admissions from admission_counts
      where seller_id = ${seller}`)
    expect(await minutes()).toBe(2)
    await purgeAttempts()
    expect(await minutes()).toBe(1)
  })

  it('per minute are deleted even if old attempts cannot be deleted', async () => {
    const seller = await makeSeller()
    await run(sql`insert into admission_counts values (${seller}, now() - interval '2 days', '', 0, 1)`)
    await run(sql`alter table validation_attempts rename to hidden_attempts`)
    await expect(purgeAttempts()).rejects.toThrow(AggregateError)
    await run(sql`alter table hidden_attempts rename to validation_attempts`)
    expect(await run(sql`select 1 from admission_counts where seller_id = ${seller}`)).toEqual([])
  })

  it('omit attempts that are reported more than an hour late from the admissions per minute', async () => {
    const seller = await makeSeller()
    await attempt(seller, 58)
    await attempt(seller, 62)
    const [counted] = await run<{ attempts: number; perMinute: number }>(sql`
      select (select sum(scans)::int from scan_counts where seller_id = ${seller}) as attempts,
        (select sum(admissions)::int from admission_counts where seller_id = ${seller}) as "perMinute"`)
    expect(counted).toEqual({ attempts: 2, perMinute: 1 })
  })

  it.each([
    ['in scans', true],
    ['in one statement', false],
  ])('reflect each change of a ticket from one state to another, %s', async (_, isScan) => {
    const seller = await makeSeller()
    const states = ['PAID', 'CANCELED', 'REFUNDED'].flatMap((status) =>
      ['UNCHECKEDIN', 'CHECKEDIN'].flatMap((checkIn) =>
        [false, true].flatMap((hasLeft) => [0, 2].map((extra) => ({ status, checkIn, hasLeft, extra }))),
      ),
    )
    // Each ticket has its own type, so that errors do not cancel each other out. The type's ID is longer than the counts can store.
    const changes = states.flatMap((before) => states.map((after) => [before, after] as const))
    const lines = changes.map((_, index) => minimal('tickets', { pageId: PAGES[0], ticketTypeId: `${index}${'x'.repeat(300)}` }))
    await importLines('tickets', seller, lines)
    const change = async (side: 0 | 1, where: ReturnType<typeof sql>, scan: string) => {
      const values = JSON.stringify(changes.map((sides, index) => ({ id: lines[index]?.id, ...sides[side] })))
      await database().transaction(async ({ rows }) => {
        await rows(sql`select set_config('desk.scan', ${scan}, true)`)
        await rows(sql`
          update tickets set check_in_status = "checkIn", has_left = "hasLeft", extra_inside = extra, record = case tickets.status
            when state.status then record else jsonb_set(record::jsonb, '{status}', to_jsonb(state.status))::json end
          from json_to_recordset(${values}::text::json) as state (id text, status text, "checkIn" text, "hasLeft" boolean, extra int)
          where seller_id = ${seller} and tickets.id = state.id and ${where}`)
      })
      expect(await recountSums(false)).toEqual([])
    }
    await change(0, sql`true`, '')
    const hasSameStatus = sql`tickets.status = state.status`
    await change(1, hasSameStatus, isScan ? 'on' : '')
    // A scan cannot change the status.
    if (isScan) await expect(change(1, sql`not ${hasSameStatus}`, 'on')).rejects.toThrow('cannot change the record')
    await change(1, sql`not ${hasSameStatus}`, '')
    const sum = (count: (state: (typeof states)[number]) => boolean | number) =>
      changes.reduce((total, [, after]) => total + Number(count(after)), 0)
    const [sums] = await run(sql`
      select sum(sold)::int as sold, sum(inside)::int as inside, sum(attended)::int as attended, sum(people)::int as people
      from ticket_counts where seller_id = ${seller}`)
    const isPaid = (state: { status: string }) => state.status === 'PAID'
    const isIn = (state: { checkIn: string }) => state.checkIn === 'CHECKEDIN'
    expect(sums).toEqual({
      sold: sum(isPaid),
      inside: sum((state) => isPaid(state) && isIn(state)),
      attended: sum((state) => isPaid(state) && (isIn(state) || state.hasLeft)),
      people: sum((state) => Number(isIn(state)) + state.extra),
    })
  })

  it('are updated without waiting for a check-in that has not been committed', async () => {
    const seller = await makeSeller()
    await importLines('tickets', seller, [minimal('tickets', { qrCode: 'one' }), minimal('tickets', { qrCode: 'two' })])
    await database().transaction(async ({ rows }) => {
      await rows(sql`update tickets set check_in_status = 'CHECKEDIN' where seller_id = ${seller} and qr_code = 'one'`)
      // This check-in would time out if the uncommitted count blocked it.
      await admit(seller, 'two')
      expect(await readCounts(seller)).toEqual([1, 2])
    })
    expect(await readCounts(seller)).toEqual([2, 2])
  })

  it('count attempts without an event and ticket type together with those whose event and ticket type are empty', async () => {
    const seller = await makeSeller()
    const counted = sql`select scans from scan_counts where seller_id = ${seller} and scans > 0`
    await run(sql`
      insert into validation_attempts (seller_id, at, outcome, actor_id, page_id, ticket_type_id)
      select ${seller}, now(), 'admitted', 'door', page_id, ticket_type_id from (values (null, null), ('', '')) as attempt (page_id, ticket_type_id)`)
    expect(await run(counted)).toEqual([{ scans: 2 }])
    await run(sql`delete from validation_attempts where seller_id = ${seller}`)
    expect(await run(counted)).toEqual([])
    expect(await recountSums(false)).toEqual([])
  })

  it('are repaired by a recount', async () => {
    const seller = await makeSeller()
    await importLines('tickets', seller, [minimal('tickets', { pageId: PAGES[0], ticketTypeId: 'a' }), minimal('tickets')])
    await run(sql`update ticket_counts set sold = sold + 5, inside = 2 where seller_id = ${seller} and page_id = ${PAGES[0]}`)
    const differences = [
      {
        table: 'ticket_counts',
        key: { seller_id: seller, page_id: PAGES[0], ticket_type_id: 'a' },
        stored: { sold: 6, inside: 2, attended: 0, people: 0 },
        actual: { sold: 1, inside: 0, attended: 0, people: 0 },
      },
    ]
    expect(await recountSums(true)).toEqual(differences)
    expect(await recountSums(false)).toEqual([])
    expect(await readCounts(seller)).toEqual([0, 2])

    await attempt(seller, 1, { pageId: PAGES[0] })
    await run(sql`update admission_counts set admissions = admissions + 5 where seller_id = ${seller}`)
    const minute = {
      table: 'admission_counts',
      key: { seller_id: seller, page_id: PAGES[0] },
      stored: { admissions: 6 },
      actual: { admissions: 1 },
    }
    expect(await recountSums(true)).toMatchObject([minute])
    expect(await recountSums(false)).toEqual([])
  })
})
