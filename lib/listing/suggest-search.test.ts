/** For a search without matches, a similar name is suggested from the records that match the other filters. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { resources } from '../catalog'
import type { Resource } from '../catalog/resource'
import type { TableParams } from '../catalog/table-params'
import type { TicketTableParams } from '../catalog/ticket-table'
import { listTable } from './list-table'
import { suggestTicketSearch, suggestSearch as suggestWithin } from './suggest-search'
import { type TableQuery, toTableQuery } from './table-query'
import { listTicketTable, toTicketQuery } from './ticket-table'

const testDatabase = withOwnDatabase()

/** Suggests a search, with a time limit that is not exceeded even on a busy machine. */
const suggestSearch = (query: TableQuery) => suggestWithin(query, 60_000)

let seller: string

const NAMES = ['Xóchitl Núñez', 'Ada Lovelace', 'Søren Straße', 'Annemarie Smith']

beforeAll(async () => {
  seller = await makeSeller()
  const other = await makeSeller()
  const order = (name: string, status = 'paid') => minimal('payments', { status, billing: { name } })
  await importLines('payments', seller, [...NAMES.map((name) => order(name)), order('Grace Hopper', 'failed')])
  await importLines('customers', seller, [minimal('customers', { name: 'Ada', companyName: 'Analytical Engines' })])
  await importLines('payments', other, [order('Zaphod Beeblebrox')])
  const ticket = (customerName: string | undefined, status = 'PAID', rest = {}) => minimal('tickets', { customerName, status, ...rest })
  await importLines('tickets', seller, [
    ...NAMES.map((name) => ticket(name)),
    ticket('Grace Hopper', 'CANCELED'),
    // Only names are suggested.
    ticket(undefined, 'PAID', { customerEmail: 'qqqqqqq@example.com' }),
  ])
  await importLines('tickets', other, [ticket('Zaphod Beeblebrox')])
})

const query = (search: string, params: Partial<TableParams> = {}, resource: Resource = resources.payments) =>
  toTableQuery(resource, seller, { limit: 20, search, ...params }, 'UTC')

it.each([
  ['xochtil', 'xochitl'],
  ['Lovlace', 'lovelace'],
  ['SMTIH', 'smith'],
  ['soren strase', 'soren strasse'],
  ['anemarie smth', 'annemarie smith'],
])('for %s, suggests %s, which finds the record', async (search, suggestion) => {
  expect((await listTable(query(search))).total).toBe(0)
  expect(await suggestSearch(query(search))).toBe(suggestion)
  expect((await listTable(query(suggestion))).total).toBe(1)
})

it('suggests the names of companies', async () => {
  expect(await suggestSearch(query('analitical', {}, resources.customers))).toBe('analytical')
})

it.each([
  ['a name similar to that of another shop’s customer', 'beeblebrix', {}],
  ['a name similar to one that the filters exclude', 'hoper', { status: ['paid'] }],
  ['names of two customers together', 'lovlace smth', {}],
  ['a word that is not similar to a name', 'qqqqqq', {}],
  ['an email address', 'xochtil@example.com', {}],
  ['a number', '12345', {}],
])('suggests nothing for %s', async (_, search, params) => {
  expect(await suggestSearch(query(search, params))).toBeUndefined()
})

it('suggests nothing for coupons, which have no names', async () => {
  expect(await suggestSearch(query('xochtil', {}, resources.coupons))).toBeUndefined()
})

it('reads the names from the trigram index of the seller’s partition, in one query after the one for its settings', async () => {
  const statements = await captureStatements(() => suggestSearch(query('xochtil')))
  expect(statements).toHaveLength(2)
  const settings = '?enable_seqscan=off&enable_indexscan=off&enable_indexonlyscan=off'
  const plan = (await Promise.all(statements.map((statement) => explain(testDatabase.url + settings, statement)))).flat()
  expect(plan.map((node) => node['Index Name'])).toContainEqual(expect.stringMatching(/^payments_texts_\d+_text_names_idx$/))
})

const ticketQuery = (search: string, params: Partial<TicketTableParams> = {}) =>
  toTicketQuery(seller, { limit: 20, search, ...params }, 'UTC')

it.each([
  ['xochtil', 'xochitl'],
  ['soren strase', 'soren strasse'],
])('for the guest %s, suggests %s, which finds the ticket', async (search, suggestion) => {
  expect((await listTicketTable(ticketQuery(search))).total).toBe(0)
  expect(await suggestTicketSearch(ticketQuery(search), 60_000)).toBe(suggestion)
  expect((await listTicketTable(ticketQuery(suggestion))).total).toBe(1)
})

it.each([
  ['a name similar to that of another shop’s guest', 'beeblebrix', {}],
  ['a name similar to one that the filters exclude', 'hoper', { status: ['PAID' as const] }],
  ['names of two guests together', 'lovlace smth', {}],
  ['part of an email address', 'qqqqqq', {}],
  ['a number', '12345', {}],
])('in the ticket table, suggests nothing for %s', async (_, search, params) => {
  expect(await suggestTicketSearch(ticketQuery(search, params), 60_000)).toBeUndefined()
})

it('reads guest names from the trigram index of the tickets, in one query after the one for its settings', { tags: 'slow' }, async () => {
  await database().transaction(async ({ rows }) => {
    // Disables events, because writing one per ticket would take longer than writing the tickets.
    await rows(sql`select set_config('desk.events', 'off', true)`)
    await rows(sql`
      insert into tickets (seller_id, record, qr_code)
      select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'status', 'PAID',
        'customerName', md5(n::text), 'createdAt', '2026-01-01T00:00:00.000Z', 'updatedAt', '2026-01-01T00:00:00.000Z'), 'plan-' || n
      from generate_series(1, 20000) as n`)
  })
  // Autovacuum would do the same later. There are many tickets, because scanning only a few would be as cheap as using the index.
  await database().use(async ({ rows }) => {
    await rows(sql`select gin_clean_pending_list('tickets_plain')`)
    await rows(sql`analyze tickets`)
  })
  const statements = await captureStatements(() => suggestTicketSearch(ticketQuery('xochtil'), 60_000))
  expect(statements).toHaveLength(2)
  const settings = '?enable_seqscan=off&enable_indexscan=off&enable_indexonlyscan=off'
  const plan = (await Promise.all(statements.map((statement) => explain(testDatabase.url + settings, statement)))).flat()
  expect(plan.map((node) => node['Index Name'])).toContain('tickets_plain')
})
