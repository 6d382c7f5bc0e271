/** The list operation runs one statement over one index, and rejects a cached key that has been revoked. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { revokeKey } from '../accounts/api-keys'
import { resources } from '../catalog'
import { listRoute } from './list-route'

const route = listRoute(resources.payments)
const PAGE = 'abcdefabcdefabcdefabcdef'

const testDatabase = withOwnDatabase()
let seller: string
let key: { id: string; key: string }
let middle: string

beforeAll(async () => {
  seller = await makeSeller()
  key = await makeKey(seller)
  const lines = Array.from({ length: 2400 }, (_, index) =>
    minimal('payments', {
      createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 4) * 60_000).toISOString(),
      status: index % 3 ? 'paid' : 'failed',
      ...(index % 2 ? { pageId: PAGE } : {}),
    }),
  )
  middle = String(lines[1200]?.id)
  await importLines('payments', seller, lines)
  await database().use(({ rows }) => rows(sql`vacuum (analyze) payments`))
})

const sendRequest = (query: string, bearer = key.key) =>
  route.GET(new Request(`http://localhost/v1/payments?${query}`, { headers: { authorization: `Bearer ${bearer}` } }))

describe('a list', () => {
  it.each([
    ['payments_order', 'limit=20'],
    ['payments_order', 'limit=100'],
    ['payments_order', 'MIDDLE&limit=20'],
    ['payments_status', 'status=failed'],
    ['payments_page', `pageId=${PAGE}`],
    ['payments_page_status', `pageId=${PAGE}&status=failed&MIDDLE`],
  ])('runs one statement over the index %s: %s', async (index, template) => {
    const query = template.replace('MIDDLE', `starting_after=${middle}`)
    await sendRequest('limit=1')
    const statements = await captureStatements(() => sendRequest(query))
    expect(statements).toHaveLength(1)
    // A cast to text copies each record twice, which takes a quarter of the statement's time.
    expect(statements[0]?.sql).not.toContain('::text as record')
    const [plan] = await Promise.all(statements.map((statement) => explain(testDatabase.url, statement)))
    const scan = plan?.find((node) => node['Index Name'] === index)
    expect(scan).toBeDefined()
    // The scan returns at most one row more than the page has, and its filter discards none.
    expect(scan?.['Actual Rows']).toBeLessThanOrEqual((query.includes('limit=100') ? 100 : 20) + 1)
    expect(scan?.['Rows Removed by Filter'] ?? 0).toBe(0)
    expect(plan?.map((node) => node['Node Type'])).not.toContain('Sort')
    // The total comes from the stored counts, so no node reads more than the page's records and one more.
    expect(Math.max(...(plan ?? []).map((node) => node['Actual Rows'] * node['Actual Loops']))).toBeLessThanOrEqual(101)
  })

  it('uses a generic plan for any limit', async () => {
    for (let round = 0; round < 80; round += 1) expect((await sendRequest(`limit=${1 + (round % 30)}`)).status).toBe(200)
    const plans = await Promise.all(
      Array.from({ length: 12 }, () =>
        database().use(({ rows }) =>
          rows<{ generic: number; custom: number }>(sql`
            select sum(generic_plans)::int as generic, sum(custom_plans)::int as custom from pg_prepared_statements
            where statement like '%as total from (%' and statement not like '%pg_prepared%'`),
        ),
      ),
    )
    const generic = plans.flat().reduce((sum, counts) => sum + (counts.generic ?? 0), 0)
    expect(generic).toBeGreaterThan(0)
  })

  it('rejects a key that was revoked in this process, even if the request has other errors', async () => {
    const other = await makeKey(seller, 'payments:read')
    expect((await sendRequest('limit=1', other.key)).status).toBe(200)
    await revokeKey(seller, other.id)
    for (const query of ['limit=1', 'limit=0', 'search=nothing', `starting_after=${middle}`, 'status=nonsense']) {
      expect([query, (await sendRequest(query, other.key)).status]).toEqual([query, 401])
    }
  })
})
