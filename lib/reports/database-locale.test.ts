/**
 * Lists and reports find orders in any currency, and IDs in any letter case, even in a database with the Turkish locale, where `upper('i')`
 * is `İ`, and in one with the locale C, where `upper('ł')` is `ł`.
 */
// @module-tag slow
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, database, openDatabase, setDatabase } from '@/db/client'
import { migrateDatabase } from '@/db/migrate'
import journal from '@/db/migrations/meta/_journal.json' with { type: 'json' }
import { makeTemporaryFolder, newDatabaseName } from '@/testing/postgres'
import { importLines, type Line, makeSeller, minimal, toServedRecord } from '@/testing/seller'
import { resources } from '../catalog'
import { tableParams } from '../catalog/table-params'
import { ticketTableParams } from '../catalog/ticket-table'
import { findCustomerOrders } from '../listing/customer-orders'
import { listTable } from '../listing/list-table'
import { recountTexts } from '../listing/recount-texts'
import { readChoices } from '../listing/table-facets'
import { toTableQuery } from '../listing/table-query'
import { listTicketTable, toTicketQuery } from '../listing/ticket-table'
import { sumPastDue } from './attention'
import { readCouponSales } from './coupon-sales'
import { loadDateRange } from './date-range'
import { recountSums } from './recount-sums'
import { loadSales } from './sales'
import { loadSubscriptions } from './subscriptions'

const shared = String(process.env.TEST_DATABASE_URL)
const admin = postgres(shared, { max: 1, onnotice: () => {} })
let name: string
let url: string
let pool: Database

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

/** Applies the migrations before 0044, which replaces the functions that depended on the locale. */
async function migrateBefore(): Promise<void> {
  const folder = await makeTemporaryFolder()
  const entries = journal.entries.filter(({ idx }) => idx < 44)
  await mkdir(join(folder, 'meta'))
  await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }))
  for (const { tag } of entries) await cp(`db/migrations/${tag}.sql`, join(folder, `${tag}.sql`))
  const client = postgres(url, { max: 1, onnotice: () => {} })
  await migrate(drizzle(client), { migrationsFolder: folder })
  await client.end()
  await rm(folder, { recursive: true })
}

let seller: string
const email = 'isil@example.com'
const coupon = minimal('coupons', { code: 'SPRING' })
const createdAt = new Date().toISOString()
const order = (name: 'payments' | 'bookings', currency: string, amount: number): Line =>
  minimal(name, { currency, amount, customerEmail: email, coupon: { id: coupon.id, discount: 10 }, createdAt })
const customerId = 'cus_INR'
const guest = 'ᴬnn O’Neil'
const anonymous = () => minimal('payments', { customerId, status: 'failed' })
const subscription = (amount: number): Line =>
  minimal('subscriptions', { status: 'past_due', currency: 'inr', amount, interval: 'month', createdAt })

afterAll(() => admin.end())

describe.each([
  ['Turkish', "icu icu_locale 'tr-TR'", ['ZŁ', 'İNR']],
  ['C', 'libc', ['Zł', 'INR']],
])('in a database with the locale %s, orders from before and after the migration', (_, locale, currencies) => {
  beforeAll(async () => {
    name = newDatabaseName()
    url = shared.replace(/\/[^/]*$/, `/${name}`)
    await admin.unsafe(`create database ${name} template template0 encoding 'UTF8' locale 'C' locale_provider ${locale}`)
    await migrateBefore()
    pool = openDatabase({ url, max: 12, statementMs: 300_000 })
    setDatabase(pool)
    seller = await makeSeller()
    const stored = {
      payments: [order('payments', 'inr', 100), order('payments', 'zł', 7), anonymous()],
      bookings: [order('bookings', 'inr', 200)],
      subscriptions: [subscription(1000)],
      customers: [minimal('customers', { name: guest })],
    }
    for (const [table, lines] of Object.entries(stored)) {
      for (const line of lines) {
        const record = JSON.stringify(toServedRecord(line, seller))
        await run(sql`insert into ${sql.identifier(table)} (seller_id, record) values (${seller}, ${record}::text::json)`)
      }
    }
    const ticket = JSON.stringify(toServedRecord(minimal('tickets', { customerName: guest }), seller))
    await run(sql`insert into tickets (seller_id, qr_code, record) values (${seller}, 'code', ${ticket}::text::json)`)
    expect(await run(sql`select currency from payments_texts where amount in (100, 7) order by amount`)).toEqual(
      currencies.map((currency) => ({ currency })),
    )
    await run(sql`create view own_report as select lower(name) as name from sellers`)
    await migrateDatabase(url)
    await importLines('coupons', seller, [coupon])
    await importLines('payments', seller, [order('payments', 'inr', 30), order('payments', 'INR', 3), anonymous()])
    await importLines('subscriptions', seller, [subscription(500)])
  })

  afterAll(async () => {
    setDatabase(undefined)
    await pool?.close(0)
    await admin.unsafe(`drop database if exists ${name} with (force)`)
  })

  it('are listed by currency', async () => {
    const query = toTableQuery(resources.payments, seller, tableParams(resources.payments).parse({ currency: 'inr' }), 'UTC')
    expect((await listTable(query)).total).toBe(3)
    expect((await readChoices({ ...query, currency: undefined })).currencies).toEqual([
      { value: 'INR', count: 3 },
      { value: 'ZŁ', count: 1 },
    ])
  })

  it('are summed by currency in the overview, for a customer and for a coupon', async () => {
    const range = await loadDateRange('UTC', 30)
    expect((await loadSales(seller, range)).map(({ currency, current }) => [currency, current.revenue])).toEqual([
      ['INR', 333],
      ['ZŁ', 7],
    ])
    expect((await loadSubscriptions(seller, range)).mrr).toMatchObject([{ currency: 'INR', mrr: 1500 }])
    expect((await sumPastDue(seller)).sums).toEqual([{ currency: 'INR', amount: 1500 }])
    const { lists } = await findCustomerOrders(seller, { id: '', email })
    expect(lists.payments.paid).toEqual([
      { currency: 'INR', amount: 133 },
      { currency: 'ZŁ', amount: 7 },
    ])
    const { sums } = await readCouponSales(seller, { id: String(coupon.id), code: 'SPRING' })
    expect(sums).toMatchObject([
      { currency: 'INR', orders: 4, revenue: 333, discount: 40 },
      { currency: 'ZŁ', orders: 1, revenue: 7 },
    ])
  })

  it('are found by a customer ID in any letter case', async () => {
    const { lists } = await findCustomerOrders(seller, { id: customerId.toLowerCase(), email: '' })
    expect(lists.payments.count).toBe(2)
  })

  it('are searched without regard to the style of letters and apostrophes, like customers and tickets', async () => {
    const search = "ann o'neil"
    const customers = toTableQuery(resources.customers, seller, tableParams(resources.customers).parse({ search }), 'UTC')
    expect((await listTable(customers)).total).toBe(1)
    const query = toTicketQuery(seller, ticketTableParams.parse({ search }), 'UTC')
    expect((await listTicketTable(query)).total).toBe(1)
    expect(await run(sql`select 1 as found from tickets where desk_guest_key(record) collate "C" = ${search}`)).toEqual([{ found: 1 }])
  })

  it('do not depend on the locale, because no trigger, view or index calls upper or lower without a collation', async () => {
    const calls = String.raw`\m(upper|lower)\((?!\w+ COLLATE )`
    const found = await run(sql`
      select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ ${calls}
      union all select viewname from pg_views where schemaname = 'public' and definition ~ ${calls}
      union all select indexname from pg_indexes where schemaname = 'public' and indexdef ~ ${calls}`)
    // Only the view that the operator created does.
    expect(found).toEqual([{ name: 'own_report' }])
  })

  it('have the sums that a recount finds, even after changes and deletions', async () => {
    expect([await recountSums(false), await recountTexts(false)]).toEqual([[], []])
    await run(sql`delete from bookings where seller_id = ${seller}`)
    await run(
      sql`update payments set record = replace(record::text, '"paid"', '"refunded"')::json where seller_id = ${seller} and amount = 100`,
    )
    expect([await recountSums(false), await recountTexts(false)]).toEqual([[], []])
    const [sales] = await loadSales(seller, await loadDateRange('UTC', 30))
    expect(sales).toMatchObject({ currency: 'INR', current: { revenue: 33 } })
  })
})
