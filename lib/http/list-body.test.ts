/** The body of a list contains exactly the bytes of its records, no matter how it is sent. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Reply, toResponse, writeReply } from './exchange'
import { joinRecords } from './list-route'

const record = (text: string) => [Buffer.from(JSON.stringify({ text }))]

/** Names and texts of pages: one without records, one with multibyte characters, and one too large for the buffer that assembles bodies. */
const PAGES: [string, string[]][] = [
  ['no records', []],
  ['characters of one to four bytes', ['Ada', 'Zoë', '日本', '🎟️', '\u00ff\u0080']],
  ['2 MB of text', Array.from({ length: 100 }, (_, index) => `${index}é`.repeat(5_000))],
]

const server = createServer()
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => void server.close())

/** Sends a reply as the server does. */
async function send(reply: Reply): Promise<Response> {
  server.once('request', (incoming, outgoing) => writeReply(incoming, outgoing, reply))
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

describe.each(PAGES)('a page with %s', (_, texts) => {
  const reply = (): Reply => ({ status: 200, headers: { 'X-Test': 'ok' }, body: joinRecords('{"data":[', texts.map(record)) })
  const expected = { data: texts.map((text) => ({ text })) }

  it('is sent with its length in bytes', async () => {
    const response = await send(reply())
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(expected))))
    expect(await response.json()).toEqual(expected)
  })

  it('is the same when it is converted to a platform response', async () => {
    expect(await toResponse(reply()).json()).toEqual(expected)
  })

  it('does not change when the next page is assembled', async () => {
    const first = reply()
    joinRecords('', [record('x'.repeat(1_000))])
    expect(await toResponse(first).json()).toEqual(expected)
  })
})
