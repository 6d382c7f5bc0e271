/** The indexes that lists read. Uses its own database, because other rows in a table would affect the planner. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { database } from './client'

withOwnDatabase()

const rows = <Row>(query: ReturnType<typeof sql>) => database().use((connection) => connection.rows<Row>(query))

test.each([
  ['payments_order', sql``],
  ['payments_status', sql`and status = 'paid'`],
  ['payments_page', sql`and page_id = 'abcdefabcdefabcdefabcdef'`],
])('reads only the rows of the page, through the index %s', async (index, filter) => {
  const seller = await makeSeller()
  const lines = Array.from({ length: 400 }, (_, at) =>
    minimal('payments', {
      createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(at / 4) * 60_000).toISOString(),
      pageId: at % 10 ? undefined : 'abcdefabcdefabcdefabcdef',
      status: at % 10 ? 'failed' : 'paid',
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
