/** Every change writes its events in the same transaction, and readers of the API's list miss none. */
// @module-tag slow
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import postgres from 'postgres'
import { beforeAll, describe, expect, it } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { noteOnTicket, undoCheckIn, validateTicket } from '@/lib/admission/change-ticket'
import { resources } from '@/lib/catalog'
import { ticketRecord } from '@/lib/catalog/ticket'
import { textArray } from '@/lib/core/sql'
import { eventRoute, eventsRoute } from '@/lib/http/event-routes'
import { validateTicketRoute } from '@/lib/http/validate-ticket-route'
import { pullRecords } from '@/lib/sync/pull/pull'
import { serializeResult } from '@/testing/admission'
import { deliver, LIFECYCLES, makeAccount } from '@/testing/ingest'
import { importLines, importText, type Line, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { EVENT_TYPES } from '../catalog/event-types'
import { eventPrefix, type Resource } from '../catalog/resource'
import { eventData } from './event-data'
import { expiredEvents, moveRestoredEvents, purgeOldEvents } from './purge-events'

beforeAll(openTestDatabase)

type Event = { id: string; type: string; data: Line }
type Page = { has_more: boolean; data: Event[]; code?: string; param?: string }

async function openReader(seller: string) {
  const { key } = await makeKey(seller, 'events:read')
  const headers = { authorization: `Bearer ${key}` }
  return {
    list: async (query = '') => {
      const response = await eventsRoute.GET(new Request(`http://x/v1/events?${query}`, { headers }))
      return (await response.json()) as Page
    },
    get: async (id: string) => {
      const response = await eventRoute.GET(new Request(`http://x/v1/events/${id}`, { headers }), { params: Promise.resolve({ id }) })
      return { status: response.status, text: await response.text() }
    },
  }
}

/** Returns a seller's events, oldest first, including those that the API does not list yet because older transactions are running. */
async function listEvents(seller: string): Promise<Event[]> {
  const found = await database().use(({ rows }) =>
    rows<{ id: string; type: string; data: string }>(
      sql`select id, type, ${eventData('events')}::text as data from events where seller_id = ${seller} order by transaction_id, sequence`,
    ),
  )
  return found.map(({ id, type, data }) => ({ id, type, data: JSON.parse(data) as Line }))
}

/** Waits until every transaction that is running now, in this and in other tests, has ended. */
async function waitForTransactions(): Promise<void> {
  const read = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))
  const [now] = await read<{ id: string }>(sql`select pg_current_xact_id()::text as id`)
  await expect
    .poll(
      async () => (await read<{ over: boolean }>(sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${now?.id}::text::xid8 as over`))[0],
    )
    .toEqual({ over: true })
}

const listTypes = async (seller: string) => (await listEvents(seller)).map(({ type }) => type)

const importWithEvents = (resource: Parameters<typeof importLines>[0], seller: string, lines: Line[]) =>
  importText(resource, seller, lines.map((line) => JSON.stringify(line)).join('\n'), { events: true })

describe('writing events', () => {
  it('writes the events of an import only on request', async () => {
    const seller = await makeSeller()
    const lines = [minimal('payments', { status: 'paid' }), minimal('payments', { status: 'pending' })].toSorted((a, b) =>
      String(a.id) < String(b.id) ? -1 : 1,
    )
    await importLines('payments', seller, lines)
    expect(await listTypes(seller)).toEqual([])
    const later = lines.map((line) => ({ ...line, status: line.status === 'pending' ? 'paid' : 'refunded' }))
    await importWithEvents('payments', seller, later)
    expect((await listTypes(seller)).toSorted()).toEqual(['payment.paid', 'payment.refunded', 'payment.updated', 'payment.updated'])
    // The records do not change.
    await importWithEvents('payments', seller, later)
    expect(await listTypes(seller)).toHaveLength(4)
  })

  it.each([
    ['payments', 'paid', ['payment.created', 'payment.paid']],
    ['bookings', 'refunded', ['booking.created', 'booking.refunded']],
    ['subscriptions', 'canceled', ['subscription.created', 'subscription.canceled']],
    ['coupons', undefined, ['coupon.created']],
    ['tickets', 'CANCELED', ['ticket.created', 'ticket.canceled']],
  ] as const)('writes the events of new %s with the status %s', async (name, status, types) => {
    const seller = await makeSeller()
    await importWithEvents(name, seller, [minimal(name, status ? { status } : {})])
    expect(await listTypes(seller)).toEqual(types)
  })

  it('writes the events of scans, notes and undos, with the ticket as the API returns it and without its QR code', async () => {
    const seller = await makeSeller('Europe/Amsterdam')
    const { id: keyId, key } = await makeKey(seller, 'tickets:validate')
    const line = minimal('tickets', { customerName: 'Zoë', originalPrice: 3850, updatedAt: '2026-03-02T12:00:00.000Z' })
    await importLines('tickets', seller, [line])
    const code = String(line.qrCode)
    const address = { sellerId: seller, actorId: keyId, code }
    const served: unknown[] = []
    const keep = (result: Parameters<typeof serializeResult>[0]) => {
      if ('ticket' in result) served.push(result.ticket)
      return serializeResult(result)
    }
    const response = await validateTicketRoute.POST(
      new Request('http://x', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': '44' },
        body: '{"metadata":[{"key":"gate","value":"ü \\"2"}]}',
      }),
      { params: Promise.resolve({ qrCode: code }) },
    )
    served.push(((await response.json()) as { ticket: unknown }).ticket)
    await noteOnTicket({ ...address, body: {}, metadata: [{ key: 'seat', value: '1' }] }, keep)
    await undoCheckIn({ ...address, body: {}, sequence: 1, reason: 'mistake' }, keep)
    const events = await listEvents(seller)
    expect(events.map(({ type }) => type)).toEqual(['ticket.checked_in', 'ticket.updated', 'ticket.checked_out'])
    expect(events.map(({ data }) => data)).toEqual(served)
    for (const { data } of events) expect(ticketRecord.safeParse(data).error).toBeUndefined()
    expect(JSON.stringify(events)).not.toContain(code)
  })

  it('writes an event for a change to a ticket’s metadata alone', async () => {
    const seller = await makeSeller()
    await importLines('tickets', seller, [minimal('tickets')])
    await database().use(({ rows }) => rows(sql`update tickets set metadata = '[{"key":"a","value":"1"}]' where seller_id = ${seller}`))
    expect((await listEvents(seller)).map(({ type }) => type)).toEqual(['ticket.updated'])
  })

  it('writes no event for a rejected scan, a preview, or a change that is rolled back', async () => {
    const seller = await makeSeller()
    const line = minimal('tickets')
    await importLines('tickets', seller, [line])
    const scan = { sellerId: seller, actorId: 'x', code: String(line.qrCode), body: {}, metadata: [] }
    await validateTicket({ ...scan, checkIn: false }, serializeResult)
    const failing = validateTicket({ ...scan, checkIn: true }, () => {
      throw new Error('the response cannot be written')
    })
    await expect(failing).rejects.toThrow('cannot be written')
    expect(await listTypes(seller)).toEqual([])
    await validateTicket({ ...scan, checkIn: true }, serializeResult)
    await validateTicket({ ...scan, checkIn: true }, serializeResult)
    expect(await listTypes(seller)).toEqual(['ticket.checked_in'])
  })

  it('writes the events of a booking that is imported as pending, then paid, then refunded, and those of its tickets', async () => {
    const seller = await makeSeller()
    const booking = minimal('bookings', { status: 'pending', tickets: [{ ticketTypeId: 'a', quantity: 2 }] })
    const send = (status: string) => importWithEvents('bookings', seller, [{ ...booking, status }])
    await send('pending')
    await send('paid')
    await send('refunded')
    expect(await listTypes(seller)).toEqual([
      'booking.created',
      'booking.updated',
      'booking.paid',
      'ticket.created',
      'ticket.created',
      'booking.updated',
      'booking.refunded',
      'ticket.updated',
      'ticket.canceled',
      'ticket.updated',
      'ticket.canceled',
    ])
    const canceled = (await listEvents(seller)).at(-1)?.data
    expect(canceled).toMatchObject({ status: 'CANCELED', canceledAt: booking.updatedAt ?? booking.createdAt })
    expect(ticketRecord.safeParse(canceled).error).toBeUndefined()
  })

  it('writes the events of a ticket that is imported with a history, which all of them contain', async () => {
    const seller = await makeSeller()
    const checkIns = ['2026-11-20', '2026-11-21'].map((checkedInAt) => ({ method: 'QRSCAN', status: 'CHECKEDIN', checkedInAt }))
    await importWithEvents('tickets', seller, [minimal('tickets', { checkIns })])
    expect(await listTypes(seller)).toEqual(['ticket.created', 'ticket.checked_in'])
    for (const { data } of await listEvents(seller))
      expect(data).toMatchObject({ checkInStatus: 'CHECKEDIN', checkIns, latestCheckIn: checkIns[1] })
  })

  it('writes the events of Stripe payments without the client secret', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...(LIFECYCLES.payment ?? []))
    const events = await listEvents(seller)
    expect(events[0]?.type).toBe('payment.created')
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['payment.updated', 'payment.paid', 'payment.refunded']))
    expect(JSON.stringify(events)).not.toContain('CANARY')
    for (const { data } of events) expect(resources.payments.record.safeParse(data).error).toBeUndefined()
  })

  it('stores the data of an event uncompressed, and only when its record changes again', async () => {
    const seller = await makeSeller()
    const sent = minimal('payments', {
      queryParameters: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`parameter ${i}`, 'repeated'])),
    })
    const read = () =>
      database().use(({ rows }) =>
        rows<{ size: number | null; method: string | null }>(
          sql`select octet_length(data::text) as size, pg_column_compression(data) as method from events where seller_id = ${seller} order by sequence`,
        ),
      )
    await importWithEvents('payments', seller, [{ ...sent, status: 'paid' }])
    const unchanged = { size: null, method: null }
    expect(await read()).toEqual([unchanged, unchanged])
    await importWithEvents('payments', seller, [{ ...sent, status: 'failed' }])
    const [created, paid, updated] = await read()
    for (const { size, method } of [created, paid].flatMap((row) => row ?? [])) {
      expect(size).toBeGreaterThan(2_500)
      expect(method).toBeNull()
    }
    expect(updated).toEqual(unchanged)
    expect((await listEvents(seller)).map(({ data }) => data.status)).toEqual(['paid', 'paid', 'failed'])
  })

  it('keeps the record as of each event, even if it is changed or deleted afterward', async () => {
    const ids = ['1', '2'].map((digit) => digit.repeat(24))
    const change = fc.record({
      kind: fc.constantFrom('write', 'write', 'write', 'import without events', 'delete', 'touch'),
      id: fc.constantFrom(...ids),
      resource: fc.constantFrom('coupons', 'payments'),
    } as const)
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 12 }), async (changes) => {
        const seller = await makeSeller()
        const expected: string[] = []
        for (const [i, { kind, id, resource }] of changes.entries()) {
          const table = sql.identifier(resource)
          const line = minimal(resource, { id, ...(resource === 'coupons' ? { label: `${i}` } : { orderId: `${i}`, status: 'pending' }) })
          if (kind === 'write') {
            await importWithEvents(resource, seller, [line])
            expected.push(`${resource} ${id} ${i}`)
          } else if (kind === 'import without events') await importLines(resource, seller, [line])
          else {
            const query =
              kind === 'delete'
                ? sql`delete from ${table} where seller_id = ${seller} and id = ${id}`
                : sql`update ${table} set secrets = '{}' where seller_id = ${seller} and id = ${id}`
            await database().use(({ rows }) => rows(query))
          }
        }
        const found = (await listEvents(seller)).map(({ type, data }) =>
          type.startsWith('coupon') ? `coupons ${data.id} ${data.label}` : `payments ${data.id} ${data.orderId}`,
        )
        expect(found).toEqual(expected)
      }),
      { numRuns: 12 },
    )
  })

  it('writes one event per change, with the value after that change, if a record is changed concurrently', async () => {
    const seller = await makeSeller()
    const coupon = minimal('coupons')
    await importLines('coupons', seller, [coupon])
    const labels = ['a', 'b', 'c'].map((writer) => Array.from({ length: 6 }, (_, i) => `${writer} ${i}`))
    await Promise.all(
      labels.map(async (writerLabels) => {
        for (const label of writerLabels) await importWithEvents('coupons', seller, [{ ...coupon, label }])
      }),
    )
    expect((await listEvents(seller)).map(({ data }) => data.label).toSorted()).toEqual(labels.flat())
  })

  it('writes the events of a pull', async () => {
    const seller = await makeSeller()
    const record: Line = { ...minimal('coupons'), sellerId: 'other' }
    const source = { list: async () => ({ records: [record], hasMore: false, total: 1 }) }
    await pullRecords({ resource: 'coupons', seller, from: `http://${seller}.example`, source, onReject: () => {} })
    expect((await listEvents(seller)).map(({ type, data }) => [type, data.id])).toEqual([['coupon.created', record.id]])
  })

  it('writes only types that the API reference describes', async () => {
    const stored = await database().use(({ rows }) => rows<{ type: string }>(sql`select distinct type from events`))
    for (const { type } of stored) expect(Object.keys(EVENT_TYPES)).toContain(type)
  })
})

describe('the list of events', () => {
  const insert = (seller: string, types: string[]) =>
    database().use(({ rows }) =>
      rows(sql`insert into events (seller_id, type, data) select ${seller}, type, '{}' from unnest(${textArray(types)}) as type`),
    )

  it('paginates in both directions, filters by type and date, and returns single events', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    for (let i = 0; i < 5; i += 1) await insert(seller, ['coupon.created', 'coupon.updated'])
    await insert(other, ['coupon.created'])
    await waitForTransactions()
    const { list, get } = await openReader(seller)
    const all = (await list('limit=100')).data
    expect(all).toHaveLength(10)
    const older: Event[] = []
    for (let after = ''; ; ) {
      const page = await list(`limit=3${after}`)
      older.push(...page.data)
      if (!page.has_more) break
      after = `&starting_after=${page.data.at(-1)?.id}`
    }
    expect(older).toEqual(all)
    expect((await list(`limit=3&ending_before=${all[5]?.id}`)).data).toEqual(all.slice(2, 5))
    expect(new Set((await list('type=coupon.updated')).data.map(({ type }) => type))).toEqual(new Set(['coupon.updated']))
    expect(await get(String(all[0]?.id))).toEqual({ status: 200, text: JSON.stringify({ data: all[0] }) })
    expect(await get(String(all[0]?.id).toUpperCase())).toMatchObject({ status: 200 })
    const [theirs] = await listEvents(other)
    expect((await get(String(theirs?.id))).status).toBe(404)
    expect((await get('x')).status).toBe(400)
    expect((await list('created[gte]=2020-01-01&created[lt]=2021-01-01')).data).toEqual([])
    expect((await list('created[gte]=2020-01-01&limit=100')).data).toEqual(all)
    for (const [query, code] of [
      ['created[gte]=2021-01-01&created[lt]=2020-01-01', 'parameter_invalid'],
      [`starting_after=${theirs?.id}`, 'resource_missing'],
      ['starting_after=x', 'parameter_invalid'],
      ['type=coupon.deleted', 'parameter_invalid'],
      ['search=x', 'parameter_unknown'],
    ])
      expect([query, (await list(query)).code]).toEqual([query, code])
  })

  it('omits events while a running transaction could still add earlier ones, so that readers miss none', async () => {
    const seller = await makeSeller()
    const { list } = await openReader(seller)
    const client = postgres(String(process.env.TEST_DATABASE_URL), { max: 1 })
    const seen: string[] = []
    const readNew = async () => {
      const page = await list(seen.length === 0 ? 'limit=100' : `limit=100&ending_before=${seen.at(-1)}`)
      seen.push(...page.data.reverse().map(({ id }) => id))
    }
    await insert(seller, ['coupon.created'])
    await waitForTransactions()
    await readNew()
    await client.begin(async (late) => {
      await late`insert into events (seller_id, type, data) values (${seller}, 'coupon.updated', '{}')`
      await insert(seller, ['coupon.created'])
      await readNew()
      expect(seen).toHaveLength(1)
    })
    await client.end()
    await waitForTransactions()
    await readNew()
    expect(seen).toHaveLength(3)
  })

  it('filters by `createdAt` exactly as it is returned, to the millisecond', async () => {
    const seller = await makeSeller()
    await importWithEvents('coupons', seller, [minimal('coupons')])
    await waitForTransactions()
    const { list } = await openReader(seller)
    const { data } = await list()
    const createdAt = String((data[0] as unknown as { createdAt: string }).createdAt)
    const found = ['gt', 'gte', 'lte', 'lt'].map(async (name) => (await list(`created[${name}]=${createdAt}`)).data.length)
    expect(await Promise.all(found)).toEqual([0, 1, 1, 0])
  })

  it('omits events that are 30 days old, even before a purge deletes them', async () => {
    const seller = await makeSeller()
    await insert(seller, ['coupon.created', 'coupon.updated'])
    const { list } = await openReader(seller)
    await database().use(({ rows }) =>
      rows(sql`update events set created_at = now() - interval '30 days' where seller_id = ${seller} and type = 'coupon.created'`),
    )
    await waitForTransactions()
    expect((await list()).data).toHaveLength(1)
    await purgeOldEvents()
    const left = await database().use(({ rows }) => rows(sql`select type from events where seller_id = ${seller}`))
    expect(left).toEqual([{ type: 'coupon.updated' }])
  })

  it('reads only one event of a seller without expired ones to find those of others', async () => {
    const [seller, count] = [await makeSeller(), 5_000]
    await insert(
      seller,
      Array.from({ length: count }, () => 'coupon.created'),
    )
    type Node = { 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Node[] }
    const countRows = (node: Node): number =>
      (node['Relation Name'] === 'events' ? node['Actual Rows'] * node['Actual Loops'] : 0) +
      (node.Plans ?? []).reduce((sum, child) => sum + countRows(child), 0)
    const [explained] = await database().use(({ rows }) =>
      rows<{ 'QUERY PLAN': [{ Plan: Node }] }>(sql`explain (analyze, format json) ${expiredEvents}`),
    )
    const plan = explained?.['QUERY PLAN'][0].Plan
    expect(plan && countRows(plan)).toBeGreaterThan(0)
    expect(plan && countRows(plan)).toBeLessThan(count)
  })

  it('lists events restored from a database with higher transaction IDs as older than new ones', async () => {
    const seller = await makeSeller()
    const { list } = await openReader(seller)
    await insert(seller, ['coupon.created'])
    await database().use(({ rows }) =>
      rows(sql`update events set transaction_id = (pg_current_xact_id()::text::bigint + 1000000)::text::xid8 where seller_id = ${seller}`),
    )
    expect((await list()).data).toEqual([])
    await moveRestoredEvents()
    await insert(seller, ['coupon.updated'])
    await waitForTransactions()
    expect((await list()).data.map(({ type }) => type)).toEqual(['coupon.updated', 'coupon.created'])
  })

  it('keeps the order of restored events if only some of them have higher transaction IDs', async () => {
    const seller = await makeSeller()
    await insert(seller, ['coupon.created'])
    await insert(seller, ['coupon.updated'])
    await database().use(({ rows }) =>
      rows(sql`update events set transaction_id = '9000000000000' where seller_id = ${seller} and type = 'coupon.updated'`),
    )
    await moveRestoredEvents()
    await insert(seller, ['coupon.created'])
    expect(await listTypes(seller)).toEqual(['coupon.created', 'coupon.updated', 'coupon.created'])
  })

  it('moves restored events, even if that takes longer than the usual statement timeout', async () => {
    const seller = await makeSeller()
    await insert(seller, ['coupon.created'])
    await database().use(({ rows }) => rows(sql`update events set transaction_id = '9000000000000' where seller_id = ${seller}`))
    const open = database()
    const quick = openDatabase({ url: String(process.env.TEST_DATABASE_URL), max: 2, statementMs: 200, lockMs: 60_000 })
    let moved: Promise<void> | undefined
    setDatabase(quick)
    try {
      await open.transaction(async (connection) => {
        await connection.rows(sql`select 1 from events where seller_id = ${seller} for update`)
        moved = moveRestoredEvents()
        moved.catch(() => {})
        await untilBlocking(connection)
        // Longer than the pool usually allows for a statement, including the time for the driver to report its timeout.
        await pause(1_000)
      })
      await moved
    } finally {
      setDatabase(open)
      await quick.close()
    }
    const [event] = await database().use(({ rows }) => rows(sql`select transaction_id::text as id from events where seller_id = ${seller}`))
    expect(event).toEqual({ id: '0' })
  })
})

it.each(Object.values(resources) as Resource[])('the triggers of $name write the events that the catalog defines', async (resource) => {
  const { name, statusEvents = [] } = resource
  const [trigger] = await database().use(({ rows }) =>
    rows<{ args: string }>(sql`
      select encode(tgargs, 'escape') as args from pg_trigger where tgrelid = ${name}::regclass and tgname = 'write_updated_events'`),
  )
  const message = 'The triggers differ from the catalog. Attach them again in a migration (CONTRIBUTING.md, “Add a resource”).'
  expect(trigger?.args.split('\\000').slice(0, 2), message).toEqual([eventPrefix(resource), `{${statusEvents.join(',')}}`])
})
