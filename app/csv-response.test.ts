/** An export whose reader goes away, for example because it was canceled, holds no place. */
import { beforeAll, expect, it } from 'vitest'
import { resources } from '@/lib/catalog'
import { exportCsv } from '@/lib/listing/csv-export'
import { toTableQuery } from '@/lib/listing/table-query'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { csvRoute } from './csv-response'

beforeAll(openTestDatabase)

it('makes room for another export when it is canceled', async () => {
  const seller = await makeSeller()
  await importLines(
    'payments',
    seller,
    Array.from({ length: 250 }, () => minimal('payments')),
  )
  const query = toTableQuery(resources.payments, seller, { limit: 20 }, 'UTC')
  const { GET } = csvRoute(async () => ({ name: 'payments', isSummary: false, timeZone: 'UTC', open: async () => exportCsv(query) }))
  const open = () => GET(new Request('https://desk.example/payments/export'), {})
  const responses = await Promise.all(Array.from({ length: 10 }, open))
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect((await open()).status).toBe(503)
  await responses[0]?.body?.cancel()
  const next = await open()
  expect(next.status).toBe(200)
  for (const { body } of [...responses.slice(1), next]) await body?.cancel()
})
