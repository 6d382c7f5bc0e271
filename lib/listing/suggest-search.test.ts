/** A search without a match suggests the spelling of a name among the records that match the other filters. */
import { beforeAll, expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { resources } from '../catalog'
import type { Resource } from '../catalog/resource'
import type { TableParams } from '../catalog/table-params'
import { listTable } from './list-table'
import { suggestSearch as suggestWithin } from './suggest-search'
import { type TableQuery, toTableQuery } from './table-query'

const own = withOwnDatabase()

/** Searches with a limit that a busy machine does not exceed. */
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
  ['the name of another shop’s customer', 'beeblebrix', {}],
  ['a name that the filters leave out', 'hoper', { status: ['paid'] }],
  ['the names of two customers together', 'lovlace smth', {}],
  ['nothing similar', 'qqqqqq', {}],
  ['an email address', 'xochtil@example.com', {}],
  ['a number', '12345', {}],
])('does not suggest %s', async (_, search, params) => {
  expect(await suggestSearch(query(search, params))).toBeUndefined()
})

it('suggests nothing for coupons, which have no names', async () => {
  expect(await suggestSearch(query('xochtil', {}, resources.coupons))).toBeUndefined()
})

it('reads the names with one statement and its settings, from the trigram index of the seller’s partition', async () => {
  const statements = await captureStatements(() => suggestSearch(query('xochtil')))
  expect(statements).toHaveLength(2)
  const settings = '?enable_seqscan=off&enable_indexscan=off&enable_indexonlyscan=off'
  const plan = (await Promise.all(statements.map((one) => explain(own.url + settings, one)))).flat()
  expect(plan.map((node) => node['Index Name'])).toContainEqual(expect.stringMatching(/^payments_texts_\d+_text_names_idx$/))
})
