/** Tests the requests that `npm run demo` and `npm run dev` print, and the error for damaged credentials. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { env } from '@/lib/core/env'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { announce, readCredentials } from './demo'
import { formatError } from './format-error'

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

it.each(['{"email":"owner@lantern', '', 'null', '{"loading":"soon"}'])(
  'says what to do if the stored credentials are damaged: %j',
  async (text) => {
    const file = join(env().DATA_DIR, 'demo.json')
    await writeFile(file, text)
    onTestFinished(() => rm(file))
    const error = await readCredentials().catch((thrown: unknown) => thrown)
    expect(formatError(error)).toMatch(/demo\.json is damaged\. Delete it and run the command again\./)
    expect(formatError(error)).not.toMatch(/^ +at /m)
  },
)
