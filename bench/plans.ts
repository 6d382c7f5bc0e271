/** Collects the EXPLAIN (ANALYZE, BUFFERS) output of the benchmarked queries. */
import postgres from 'postgres'
import { resources } from '@/lib/catalog'
import type { ListParams } from '@/lib/catalog/list-params'
import { toListQuery } from '@/lib/listing/list-query'
import { listRecords } from '@/lib/listing/list-records'
import { captureStatements } from '@/testing/statements'
import type { Context } from './context'
import { sellerId } from './data'
import { paymentId, toPageId } from './payment-text'

const filters = { status: 'refunded', pageId: toPageId(3) }

const queries = (records: number): [name: string, params: Partial<ListParams>][] => [
  ['list', {}],
  ['status', { status: filters.status }],
  ['page', { pageId: filters.pageId }],
  ['status + page', filters],
  ['page of 100', { limit: 100 }],
  ['page 40,000', { starting_after: paymentId(0, Math.floor(records * 0.8) - 1) }],
  ['ending_before', { ending_before: paymentId(0, Math.floor(records / 2)) }],
  ['search, rare', { search: 'or-1000777' }],
  ['search, broad', { search: 'example' }],
  ['search, two letters, no match', { search: 'zq' }],
  ['search, moderately common', { search: 'example.org' }],
  ['search + status + page, broad', { ...filters, search: 'example' }],
]

/** Returns the query plans as text, each preceded by the query's name and SQL. */
export async function explain(context: Context): Promise<string> {
  const client = postgres(context.largeUrl, { max: 1 })
  const texts: string[] = []
  for (const [name, params] of queries(context.records)) {
    const statements = await context.withDatabase(context.largeUrl, () =>
      captureStatements(() => listRecords(toListQuery(resources.payments, sellerId(0), { limit: 20, ...params }))),
    )
    for (const { sql, params: values } of statements.filter((one) => !one.sql.includes('set_config'))) {
      const plan = await client.unsafe(`explain (analyze, buffers) ${sql}`, values as never[])
      texts.push(`== ${name}\n${sql.trim()}\n\n${plan.map((row) => String(Object.values(row)[0])).join('\n')}\n`)
    }
  }
  await client.end()
  return texts.join('\n')
}
