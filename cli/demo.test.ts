/** The requests that `npm run demo` and `npm run dev` print. */
import { expect, it, vi } from 'vitest'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { announce } from './demo'

/** Creates a seller with an event and a ticket. @returns an API key */
async function makeShop(qrCode: string, createdAt: string): Promise<string> {
  const seller = await makeSeller()
  const page = minimal('pages')
  await importLines('pages', seller, [page])
  await importLines('tickets', seller, [minimal('tickets', { qrCode, pageId: page.id, createdAt })])
  return (await makeKey(seller)).key
}

it('prints a request with a ticket of the key’s seller, even if another seller has a newer ticket', async () => {
  const key = await makeShop('our-code', '2026-01-01T00:00:00.000Z')
  await makeShop('their-code', '2999-01-01T00:00:00.000Z')
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await announce('http://localhost:3000', { key })
  const printed = write.mock.calls.join('')
  write.mockRestore()
  expect(printed).toContain(`'http://localhost:3000/v1/tickets/validate/our-code' -H 'Authorization: Bearer ${key}'`)
})
