/** Lists are read from the replica only if it has caught up, so that they always include earlier writes. */
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Database, database, setDatabase } from '@/db/client'
import { openPools } from '@/db/pools'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { resources } from '../catalog'
import { isEmptyShop } from '../reports/attention'
import { toListQuery } from './list-query'
import { listRecords } from './list-records'
import { countStatuses } from './table-facets'
import { toTableQuery } from './table-query'

const COPY = 'copy_of_own'
const testDatabase = withOwnDatabase()
let admin: postgres.Sql
let copy: postgres.Sql
let pools: Database
let seller: string
/** A shop without records. */
let empty: string

/** Creates a database and a copy of it, which act as a primary and its replica. */
beforeAll(async () => {
  admin = postgres(String(process.env.TEST_DATABASE_URL), { max: 1, onnotice: () => {} })
  seller = await makeSeller()
  empty = await makeSeller()
  await importLines('payments', seller, [minimal('payments', { orderId: 'HERE-1' })])
  await importLines('bookings', seller, [minimal('bookings', { createdAt: '2027-02-01T23:30:00.000Z' })])
  await database().close(0)
  await admin.unsafe(`create database ${COPY} template ${new URL(testDatabase.url).pathname.slice(1)}`)
  const copyUrl = testDatabase.url.replace(/\/[^/]*$/, `/${COPY}`)
  copy = postgres(copyUrl, { max: 1, onnotice: () => {}, connection: { session_replication_role: 'replica' } })
  pools = openPools(testDatabase.url, copyUrl)
})
beforeEach(() => {
  setDatabase(pools)
})
afterAll(async () => {
  await Promise.all([pools.close(0), copy.end()])
  await admin.unsafe(`drop database ${COPY} with (force)`)
  await admin.end()
  setDatabase(undefined)
})

const orders = async (params: Record<string, string> = {}) => {
  const { rows, total } = await listRecords(toListQuery(resources.payments, seller, { limit: 20, ...params }))
  return [total, ...rows.map((record) => JSON.parse(record.toString()).orderId)]
}

it('reads lists from the replica if it has every change, and from the primary otherwise', async () => {
  // The copy is changed without triggers, as in WAL replay, so that the counts do not show the difference.
  await copy`update payments set record = (record::jsonb || '{"orderId":"THERE-1"}')::json where seller_id = ${seller}`
  await copy`update payments set search = 'there-1' where seller_id = ${seller}`
  await copy`update payments_texts set text = 'there-1'`
  expect(await orders()).toEqual([1, 'THERE-1'])
  expect(await orders({ search: 'there' })).toEqual([1, 'THERE-1'])
  await importLines('payments', seller, [minimal('payments', { orderId: 'HERE-2', createdAt: '2027-01-01T00:00:00.000Z' })])
  expect(await orders()).toEqual([2, 'HERE-2', 'HERE-1'])
  expect(await orders({ search: 'here' })).toEqual([2, 'HERE-2', 'HERE-1'])
  expect(await countStatuses(toTableQuery(resources.payments, seller, { limit: 20 }, 'UTC'))).toEqual({ paid: 2 })
  // The replica is up to date for this other list.
  expect((await listRecords(toListQuery(resources.coupons, seller, { limit: 20 }))).total).toBe(0)
})

it('interprets date filters in the new time zone as soon as the seller’s time zone has been changed', async () => {
  const count = async () => (await listRecords(toListQuery(resources.bookings, seller, { limit: 20, 'created[gte]': '2027-02-02' }))).total
  expect(await count()).toBe(0)
  await database().use(({ rows }) => rows(sql`update sellers set time_zone = 'Europe/Amsterdam' where id = ${seller}`))
  expect(await count()).toBe(1)
})

it('finds the first tickets of a shop without records, which the replica does not have yet', async () => {
  await importLines('tickets', empty, [minimal('tickets', {})])
  expect(await isEmptyShop(empty)).toBe(false)
})
