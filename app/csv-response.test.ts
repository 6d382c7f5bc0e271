/** Tests that an export frees its slot if the client cancels it or disconnects. */
// @module-tag slow
import { beforeAll, expect, it } from 'vitest'
import { resources } from '@/lib/catalog'
import { exportCsv } from '@/lib/listing/csv-export'
import { toTableQuery } from '@/lib/listing/table-query'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { csvRoute } from './csv-response'

beforeAll(openTestDatabase)

async function makeRoute(open: (chunks: AsyncGenerator<string>) => AsyncGenerator<string> = (chunks) => chunks) {
  const seller = await makeSeller()
  await importLines(
    'payments',
    seller,
    Array.from({ length: 250 }, () => minimal('payments')),
  )
  const query = toTableQuery(resources.payments, seller, { limit: 20 }, 'UTC')
  const { GET } = csvRoute(async () => ({ name: 'payments', isSummary: false, timeZone: 'UTC', open: async () => open(exportCsv(query)) }))
  return (signal?: AbortSignal) => GET(new Request('https://desk.example/payments/export', signal ? { signal } : {}), {})
}

it('frees the slot of an export that is canceled', async () => {
  const open = await makeRoute()
  const responses = await Promise.all(Array.from({ length: 10 }, () => open()))
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect((await open()).status).toBe(503)
  await responses[0]?.body?.cancel()
  const next = await open()
  expect(next.status).toBe(200)
  for (const { body } of [...responses.slice(1), next]) await body?.cancel()
})

it('frees the slot of an export that is canceled before its first chunk, or before its body is read', async () => {
  let abort = new AbortController()
  const open = await makeRoute((chunks) => {
    abort.abort()
    return chunks
  })
  for (let index = 0; index < 10; index += 1) {
    abort = new AbortController()
    await open(abort.signal)
  }
  abort = new AbortController()
  const responses = await Promise.all(Array.from({ length: 10 }, () => open()))
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
  for (const { body } of responses) await body?.cancel()

  const openUnread = await makeRoute()
  const controller = new AbortController()
  const unread = await Promise.all(Array.from({ length: 10 }, () => openUnread(controller.signal)))
  expect(unread.map(({ status }) => status)).toEqual(Array(10).fill(200))
  controller.abort()
  // The generators release their slots asynchronously, after the abort.
  await expect.poll(async () => (await openUnread(AbortSignal.abort())).status).toBe(200)
})
