/** The body of a list contains exactly the bytes of its records, no matter how it is sent. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Reply, toResponse, writeReply } from './exchange'
import { joinRecords } from './list-route'
import { takeBuffer } from './unread-responses'

const record = (text: string) => [Buffer.from(JSON.stringify({ text }))]

/**
 * Pages of a list, with their names and the text of each record: one without records, one with multibyte characters, one that needs a
 * larger size of reusable memory, and one that is too large for reusable memory.
 */
const PAGES: [string, string[]][] = [
  ['no records', []],
  ['characters of one to four bytes', ['Ada', 'Zoë', '日本', '🎟️', '\u00ff\u0080']],
  ['20 KB of text', ['y'.repeat(20_000)]],
  ['2 MB of text', Array.from({ length: 100 }, (_, index) => `${index}é`.repeat(5_000))],
]

const server = createServer()
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => void server.close())

const port = () => (server.address() as AddressInfo).port

/** Sends a reply as the server does. */
async function send(reply: Reply): Promise<Response> {
  server.once('request', (incoming, outgoing) => writeReply(incoming, outgoing, reply))
  return fetch(`http://127.0.0.1:${port()}`)
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

describe('the memory of a body', () => {
  const SIZE = 256 * 1024
  const HEAD_END = '\r\n\r\n'
  /** Responds with a body in reusable memory, filled with the number in the request's path. */
  const serve = () => {
    const [memories, responses]: [ArrayBuffer[], ServerResponse[]] = [[], []]
    const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const body = takeBuffer(SIZE).fill(Number(incoming.url?.slice(1)))
      memories.push(body.buffer)
      responses.push(outgoing)
      writeReply(incoming, outgoing, { status: 200, headers: {}, body })
    }
    server.on('request', listener)
    onTestFinished(() => void server.off('request', listener))
    return { memories, responses }
  }
  const sendRequest = async (fill: number) => new Uint8Array(await (await fetch(`http://127.0.0.1:${port()}/${fill}`)).arrayBuffer())

  it('is reused once it has been sent', async () => {
    const { memories } = serve()
    for (const fill of [1, 2, 3, 4]) expect((await sendRequest(fill)).every((byte) => byte === fill)).toBe(true)
    expect(new Set(memories).size).toBeLessThan(memories.length)
  })

  it('is not reused while the client has not read it', async () => {
    const { responses } = serve()
    const slow = connect(port(), '127.0.0.1')
    onTestFinished(() => void slow.destroy())
    const fills = Array.from({ length: 100 }, (_, index) => index + 1)
    slow.write(fills.map((fill) => `GET /${fill} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    await expect.poll(() => responses.length).toBe(fills.length)
    for (let round = 0; round < 20; round++) await sendRequest(200)
    // The socket buffers on both sides are full.
    expect(responses.at(0)?.writableFinished).toBe(true)
    expect(responses.filter(({ writableFinished }) => !writableFinished).length).toBeGreaterThan(20)
    const text = slow.setEncoding('latin1').iterator()
    let received = ''
    for (const fill of fills) {
      while (!received.includes(HEAD_END)) received += (await text.next()).value
      received = received.slice(received.indexOf(HEAD_END) + HEAD_END.length)
      while (received.length < SIZE) received += (await text.next()).value
      expect(received.slice(0, SIZE) === String.fromCharCode(fill).repeat(SIZE)).toBe(true)
      received = received.slice(SIZE)
    }
  })

  it('is not reused if it does not come from `takeBuffer`', async () => {
    const body = Buffer.alloc(SIZE)
    await (await send({ status: 200, headers: {}, body })).arrayBuffer()
    expect(Array.from({ length: 20 }, () => takeBuffer(SIZE).buffer)).not.toContain(body.buffer)
  })
})
