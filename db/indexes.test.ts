/** Tests that queries use the intended indexes, in a database without other tests' rows, and that the search text tables stay correct. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { resources } from '@/lib/catalog'
import { findTicketBooking } from '@/lib/listing/find-ticket-booking'
import { listEvents } from '@/lib/listing/list-events'
import { tableNeighbors } from '@/lib/listing/list-table'
import { recountTexts } from '@/lib/listing/recount-texts'
import { toTableQuery } from '@/lib/listing/table-query'
import { listTicketTable, toTicketQuery } from '@/lib/listing/ticket-table'
import { readCouponSales } from '@/lib/reports/coupon-sales'
import { loadDateRange } from '@/lib/reports/date-range'
import { countFailureReasons } from '@/lib/reports/failure-reasons'
import { loadSales } from '@/lib/reports/sales'
import { listDeliveries } from '@/lib/webhooks/list-deliveries'
import { deliver, makeAccount } from '@/testing/ingest'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { makeEvent, makeIntent } from '@/testing/stripe'
import { database } from './client'

const own = withOwnDatabase()

const rows = <Row>(query: ReturnType<typeof sql>) => database().use((connection) => connection.rows<Row>(query))

test.each([
  ['payments_order', sql``],
  ['payments_status', sql`and status = 'paid'`],
  ['payments_page', sql`and page_id = 'abcdefabcdefabcdefabcdef'`],
])('reads only the rows of the page, through the index %s', async (index, filter) => {
  const seller = await makeSeller()
  const lines = Array.from({ length: 400 }, (_, index) =>
    minimal('payments', {
      createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 4) * 60_000).toISOString(),
      pageId: index % 10 ? undefined : 'abcdefabcdefabcdefabcdef',
      status: index % 10 ? 'failed' : 'paid',
    }),
  )
  await importLines('payments', seller, lines)
  await rows(sql`analyze payments`)
  const [plan] = await rows<{ 'QUERY PLAN': unknown }>(sql`
    explain (analyze, format json) select record::text from payments where seller_id = ${seller} ${filter}
      and (created_at, id) < (select created_at, id from payments where seller_id = ${seller} and id = ${lines[399]?.id})
    order by created_at desc, id desc limit 21`)
  const text = JSON.stringify(plan)
  expect(text).toContain(`"Index Name":"${index}"`)
  expect(text).toContain('"Scan Direction":"Backward"')
  expect(text).not.toContain('"Node Type":"Sort"')
  // The cursor is part of the index condition, so no row is read and discarded.
  expect(text).not.toContain('"Rows Removed by Filter"')
})

test.each([
  ['webhook_deliveries_order', undefined],
  ['webhook_deliveries_failed', 'failed'],
] as const)('reads a page of an endpoint’s deliveries through %s, no matter how many succeeded', async (index, status) => {
  const seller = await makeSeller()
  await rows(sql`
    insert into webhook_deliveries (seller_id, endpoint_id, event_id, state, created_at)
    select ${seller}, 'we_1', 'evt_' || n, case when n % 100 = 0 then 'failed' else 'succeeded' end, now() - n * interval '1 second'
    from generate_series(1, 20000) as n`)
  await rows(sql`vacuum analyze webhook_deliveries`)
  const [list] = await captureStatements(() => listDeliveries(seller, 'we_1', { limit: 20, status }))
  if (!list) throw new Error('No statement ran.')
  const nodes = await explain(own.url, list)
  expect(nodes.map((node) => node['Index Name'])).toContain(index)
  for (const node of nodes) expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), JSON.stringify(node)).toBeLessThan(60)
})

test.each([
  ['a rare type', { type: 'coupon.created' }],
  ['early dates', { 'created[lt]': new Date(Date.now() - 19_000_000).toISOString() }],
])('reads only the matching events through events_order if they are filtered by %s', async (_, filter) => {
  const seller = await makeSeller()
  await rows(sql`
    insert into events (seller_id, type, created_at, data)
    select ${seller}, case when n % 1000 = 0 then 'coupon.created' else 'coupon.updated' end, now() - n * interval '1 second', json_build_object('text', repeat('x', 1000))
    from generate_series(20000, 1, -1) as n`)
  await rows(sql`vacuum analyze events`)
  const [list] = await captureStatements(() => listEvents(seller, { limit: 20, ...filter }))
  if (!list) throw new Error('No statement ran.')
  const reads = (await explain(own.url, list)).filter((node) => node['Relation Name'] === 'events')
  expect(reads).toMatchObject([{ 'Index Name': 'events_order' }])
  for (const node of reads) expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), JSON.stringify(node)).toBeLessThan(60)
})

test.each([
  ['payments_failed', async (seller: string) => countFailureReasons(seller, await loadDateRange('UTC', 365))],
  ['payments_coupon', async (seller: string) => readCouponSales(seller, { id: 'c'.repeat(24), code: 'SPRING' })],
])('aggregates orders for the dashboard from the index %s, without reading the orders themselves', async (index, load) => {
  const seller = await makeSeller()
  await database().transaction(async (connection) => {
    await connection.rows(sql`select set_config('desk.events', 'off', true)`)
    await connection.rows(sql`
      insert into payments (seller_id, record)
      select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'currency', 'eur', 'amount', n,
        'status', case when n % 20 = 0 then 'failed' else 'paid' end, 'paymentError', 'Your card was declined.',
        'coupon', case when n % 10 = 0 then json_build_object('id', repeat('c', 24), 'discount', 10) end, 'createdAt', now() - n * interval '1 minute')
      from generate_series(1, 5000) as n`)
  })
  await rows(sql`vacuum analyze payments`)
  const statements = await captureStatements(() => load(seller))
  const readingPayments = statements.filter((statement) => statement.sql.includes('"payments"'))
  const plans = await Promise.all(readingPayments.map((statement) => explain(own.url, statement)))
  const reads = plans.flat().filter((node) => node['Relation Name'] === 'payments')
  expect(reads.length).toBeGreaterThan(0)
  for (const node of reads) {
    expect(node, JSON.stringify(node)).toMatchObject({ 'Node Type': 'Index Only Scan', 'Index Name': index })
    expect(node['Actual Rows']).toBeLessThanOrEqual(500)
  }
})

test('adjusts stored sums at the edges of a period with an index-only scan of payments_status', async () => {
  const seller = await makeSeller()
  await database().transaction(async (connection) => {
    await connection.rows(sql`select set_config('desk.events', 'off', true)`)
    await connection.rows(sql`
      insert into payments (seller_id, record)
      select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'currency', 'eur', 'amount', n, 'status', 'paid',
        'pageId', repeat('a', 24), 'createdAt', now() - n * interval '10 minutes')
      from generate_series(1, 10000) as n`)
  })
  await rows(sql`vacuum analyze payments`)
  const range = await loadDateRange('Asia/Kolkata', 30)
  const statements = await captureStatements(() => loadSales(seller, range))
  const readingPayments = statements.filter((statement) => statement.sql.includes('payments'))
  const plans = await Promise.all(readingPayments.map((statement) => explain(own.url, statement)))
  const reads = plans.flat().filter((node) => node['Relation Name'] === 'payments' && node['Actual Rows'] > 0)
  expect(reads.length).toBeGreaterThan(1)
  for (const node of reads)
    expect(node, JSON.stringify(node)).toMatchObject({ 'Node Type': 'Index Only Scan', 'Index Name': 'payments_status' })
})

test('finds a record’s neighbors in a sorted table by reading fewer than 10 rows', async () => {
  const seller = await makeSeller()
  const lines = Array.from({ length: 2_000 }, (_, index) =>
    minimal('payments', {
      currency: 'eur',
      amount: index,
      createdAt: new Date(Date.UTC(2026, 0, 1) + (index % 500) * 60_000).toISOString(),
    }),
  )
  await importLines('payments', seller, lines)
  await rows(sql`vacuum analyze payments, payments_texts`)
  const query = toTableQuery(resources.payments, seller, { limit: 5, sort: 'amount', currency: 'EUR' }, 'UTC')
  const statements = await captureStatements(() => tableNeighbors(query, String(lines[1_000]?.id)))
  const plans = await Promise.all(statements.map((statement) => explain(own.url, statement)))
  const reads = plans.flat().filter((node) => String(node['Relation Name']).startsWith('payments_texts'))
  expect(reads.map((node) => node['Index Name'])).toContainEqual(expect.stringContaining('created_at_id'))
  for (const node of reads) expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), JSON.stringify(node)).toBeLessThan(10)
})

test('finds the records of a Stripe object through an index on the digest of its ID', async () => {
  const seller = await makeAccount()
  await database().transaction(async (connection) => {
    await connection.rows(sql`select set_config('desk.events', 'off', true)`)
    await connection.rows(sql`
      insert into payments (seller_id, record)
      select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'status', 'paid', 'amount', 2500, 'currency', 'eur',
        'gatewayPaymentIntentId', 'pi_' || n, 'createdAt', now() - n * interval '1 minute')
      from generate_series(1, 2000) as n`)
  })
  await rows(sql`vacuum analyze payments`)
  const statements = await captureStatements(() => deliver(seller, makeEvent('payment_intent.succeeded', makeIntent({ id: 'pi_1000' }))))
  const lookups = statements.filter((statement) => statement.sql.includes('hashtextextended') && statement.sql.includes('"payments"'))
  const plans = await Promise.all(lookups.map((statement) => explain(own.url, statement)))
  expect(plans.flat().map((node) => node['Index Name'])).toContain('payments_gateway')
  expect(
    await rows(sql`select status, amount::int as amount from payments where seller_id = ${seller} and gateway_id = 'pi_1000'`),
  ).toEqual([{ status: 'created', amount: 2500 }])
})

test('finds a ticket’s booking through an index: by `chargeId` or, if the ticket has none, by order ID', async () => {
  const seller = await makeSeller()
  await database().transaction(async (connection) => {
    await connection.rows(sql`select set_config('desk.events', 'off', true)`)
    await connection.rows(sql`
      insert into bookings (seller_id, record)
      select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'orderId', 'BK-' || n, 'status', 'created',
        'createdAt', now() - n * interval '1 minute')
      from generate_series(1, 2000) as n`)
  })
  const bookingId = '1'.padStart(24, '0')
  const [direct, byOrder] = [minimal('tickets', { orderId: 'BK-1', chargeId: bookingId }), minimal('tickets', { orderId: 'BK-1' })]
  await importLines('tickets', seller, [direct, byOrder])
  await rows(sql`vacuum analyze bookings`)
  const read = async ({ id }: typeof direct) => {
    const found = await findTicketBooking(seller, String(id))
    expect(found).toContain(bookingId)
    const statements = await captureStatements(() => findTicketBooking(seller, String(id)))
    const plans = await Promise.all(statements.map((statement) => explain(own.url, statement)))
    const nodes = plans.flat().filter((node) => node['Relation Name'] === 'bookings')
    return nodes.flatMap((node) => (node['Actual Loops'] > 0 ? node['Index Name'] : [])).toSorted()
  }
  expect([await read(direct), await read(byOrder)]).toEqual([
    ['bookings_seller_id_id_pk'],
    ['bookings_order_id', 'bookings_seller_id_id_pk'],
  ])
})

test('sorts the tickets table by guest with an index that uses the C collation, whatever the database’s collation', async () => {
  const seller = await makeSeller()
  await importLines(
    'tickets',
    seller,
    Array.from({ length: 2_000 }, (_, index) => minimal('tickets', { customerName: `Guest ${index}` })),
  )
  await rows(sql`analyze tickets`)
  const [collation] = await rows<{ name: string }>(sql`
    select collname as name from pg_index join pg_collation on pg_collation.oid = indcollation[1] where indexrelid = 'tickets_guest'::regclass`)
  expect(collation?.name).toBe('C')
  const statements = await captureStatements(() => listTicketTable(toTicketQuery(seller, { limit: 20, sort: 'customer' }, 'UTC')))
  const used = await Promise.all(statements.map((statement) => explain(own.url, statement)))
  expect(used.flat().map((node) => node['Index Name'])).toContain('tickets_guest')
})

test('does not open the search text tables on an update that changes none of their columns', async () => {
  const seller = await makeSeller()
  await importLines('payments', seller, [minimal('payments')])
  const countLocks = (change: ReturnType<typeof sql>) =>
    database().transaction(async (connection) => {
      await connection.rows(change)
      const [row] = await connection.rows<{ count: number }>(sql`
        select count(*)::int as count from pg_locks join pg_class on pg_class.oid = relation
        where pid = pg_backend_pid() and relname like 'payments\\_texts%'`)
      return row?.count
    })
  expect(await countLocks(sql`update payments set record = record where seller_id = ${seller}`)).toBe(0)
  const changed = sql`jsonb_set(record::jsonb, '{status}', '"refunded"')::json`
  expect(await countLocks(sql`update payments set record = ${changed} where seller_id = ${seller}`)).toBeGreaterThan(0)
})

test('keeps the search text tables correct if a statement writes records of several sellers', async () => {
  const sellers = await Promise.all(Array.from({ length: 4 }, () => makeSeller()))
  for (const seller of sellers) await importLines('payments', seller, [minimal('payments'), minimal('payments')])
  const ours = sql`seller_id in ${sellers}`
  const changed = sql`jsonb_set(record::jsonb, '{customerEmail}', '"new@example.com"')::json`
  await rows(sql`
    insert into payments (seller_id, record)
    select seller_id, jsonb_set(record::jsonb, '{id}', to_jsonb(translate(id, '0123456789', '9876543210')))::json from payments where ${ours}`)
  await rows(
    sql`update payments set record = ${changed} where ${ours} and id < (select max(id) from payments as other where other.seller_id = payments.seller_id)`,
  )
  await rows(
    sql`delete from payments where ${ours} and id = (select min(id) from payments as other where other.seller_id = payments.seller_id)`,
  )
  const [stored] = await rows<{ count: number }>(sql`select count(*)::int as count from payments where ${ours}`)
  expect(stored?.count).toBe(12)
  expect(await recountTexts(false)).toEqual([])
})
