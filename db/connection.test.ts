/** Tests that a single connection sends the caller's queries and no others. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { openConnection } from './connection'

/** Returns a message in the PostgreSQL wire protocol. */
const message = (type: string, ...body: number[]) => Buffer.from([type.charCodeAt(0), 0, 0, 0, 4 + body.length, ...body])

it('a connection that is lost when the first query arrives rejects only that query', async () => {
  const received: string[] = []
  const server = createServer((socket) => {
    // AuthenticationOk and ReadyForQuery, in response to the startup message.
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', 0, 0, 0, 0), message('Z', 'I'.charCodeAt(0))]))
      socket.once('data', (query) => {
        received.push(query.toString('latin1'))
        socket.resetAndDestroy()
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = openConnection(`postgres://desk@127.0.0.1:${(server.address() as AddressInfo).port}/desk`)
  try {
    await expect(client`select 'the first query'`).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(received).toEqual([expect.stringContaining("select 'the first query'")])
  } finally {
    await client.end({ timeout: 0 })
    server.close()
  }
})
