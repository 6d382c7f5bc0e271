/** Tests the parsing of responses to raw requests: chunked bodies with any number of chunks, split into any number of packets. */
import { type AddressInfo, createServer } from 'node:net'
// Playwright's own `test` would need another worker, because it has different fixtures.
import { test } from './support/browser'
import { expect } from './support/expect'
import { openRawConnection } from './support/raw-connection'

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

for (const [content, chunked, body] of [
  ['one chunk', '3\r\nabc\r\n0\r\n\r\n', 'abc'],
  ['several chunks', '3\r\nabc\r\nA\r\ndefghijklm\r\n3\r\n€\r\n0\r\n\r\n', 'abcdefghijklm€'],
  ['a chunk that looks like the last one', '6\r\n0\r\n\r\na\r\n1\r\nb\r\n0\r\n\r\n', '0\r\n\r\nab'],
  ['an extension and a trailer', '3;name=value\r\nabc\r\n0\r\nExpires: 0\r\n\r\n', 'abc'],
  ['no content', '0\r\n\r\n', ''],
] as const) {
  test(`a chunked body with ${content} is decoded`, async () => {
    const bytes = Buffer.from(HEAD + chunked)
    let packetSize = bytes.length
    const server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => {})
      socket.on('data', async () => {
        for (let start = 0; start < bytes.length; start += packetSize) {
          socket.write(bytes.subarray(start, start + packetSize))
          await new Promise(setImmediate)
        }
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const connection = openRawConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    try {
      for (packetSize of [bytes.length, 7, 1]) {
        expect(await connection.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'), false)).toMatchObject({ status: 200, body, isClosed: false })
      }
    } finally {
      connection.close()
      server.close()
    }
  })
}
