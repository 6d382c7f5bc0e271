/** Tests that the driver receives whole messages, no matter how the network splits them. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openDatabase } from './client'
import { migrateDatabase } from './migrate'
import { hostOptions, openSocket } from './socket'

/** Returns a message in the PostgreSQL wire protocol with a body of the given length. */
function message(length: number): Buffer {
  const bytes = Buffer.alloc(5 + length, length % 251)
  bytes.write('D')
  bytes.writeUInt32BE(4 + length, 1)
  return bytes
}

/** Sends the parts one at a time, each after the previous one has arrived. @returns the chunks that the driver receives */
async function receive(parts: readonly Buffer[]): Promise<Buffer[]> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = openSocket({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [peer] = await accepted
  peer.setNoDelay(true)
  let sent = 0
  for (const part of parts) {
    peer.write(part)
    sent += part.length
    while (socket.bytesRead < sent) await new Promise((resolve) => setImmediate(resolve))
  }
  peer.end()
  await once(socket, 'close')
  server.close()
  return chunks
}

/** Splits bytes at the given offsets. */
function divide(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const cuts = [0, ...offsets.map((offset) => offset % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut))
}

/** Throws unless the bytes are whole messages. */
function assertWholeMessages(bytes: Buffer): void {
  let offset = 0
  while (offset < bytes.length) offset += 1 + bytes.readUInt32BE(offset + 1)
  expect(offset).toBe(bytes.length)
}

it('passes every byte to the driver once, in whole messages', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(20_000)), { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(fc.nat(), { maxLength: 12 }), async (lengths, offsets) => {
      const bytes = Buffer.concat(lengths.map(message))
      const parts = divide(bytes, offsets).filter((part) => part.length > 0)
      // A single byte in the first read would be mistaken for the response to the TLS request.
      fc.pre((parts[0]?.length ?? 0) > 1)
      const chunks = await receive(parts)
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
      for (const chunk of chunks) assertWholeMessages(chunk)
    }),
    { numRuns: 60 },
  )
})

it('passes a message larger than the buffer in parts, and later ones whole', async () => {
  const bytes = Buffer.concat([message(10), message(3_000_000), message(600_000), message(20), message(7)])
  const chunks = await receive(divide(bytes, [8, 500_000, 3_000_030, 3_000_038, 3_600_030]))
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
  assertWholeMessages(chunks.at(-1) ?? Buffer.alloc(0))
})

it('does not overwrite bytes that it has passed to the driver', async () => {
  const messages = Array.from({ length: 200 }, (_, index) => message(8_000 + index))
  const chunks = await receive(messages)
  expect(Buffer.concat(chunks).equals(Buffer.concat(messages))).toBe(true)
})

it('passes the single byte of the response to a TLS request to the driver', async () => {
  const chunks = await receive([Buffer.from('N'), message(30)])
  expect(Buffer.concat(chunks).equals(Buffer.concat([Buffer.from('N'), message(30)]))).toBe(true)
})

it('lets TLS take over the connection', async () => {
  // Use a pre-shared key instead of a certificate.
  const [psk, options] = [Buffer.alloc(16, 7), { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const]
  const messages = [message(30), message(700_000), message(4)]
  const upgrades = createTlsServer({ ...options, pskCallback: () => psk }, (secure) =>
    secure.once('data', () => secure.end(Buffer.concat(messages))),
  )
  const server = createServer((peer) => {
    peer.once('data', () => {
      peer.write('S')
      upgrades.emit('connection', peer)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = openSocket({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  socket.write('TLS?')
  const [response] = (await once(socket, 'data')) as [Buffer]
  expect(response.toString()).toBe('S')
  socket.removeAllListeners()
  const secure = connectTls({ ...options, socket, pskCallback: () => ({ psk, identity: 'test' }), checkServerIdentity: () => undefined })
  await once(secure, 'secureConnect')
  secure.write('start')
  const chunks: Buffer[] = []
  for await (const chunk of secure) chunks.push(chunk as Buffer)
  server.close()
  expect(Buffer.concat(chunks).equals(Buffer.concat(messages))).toBe(true)
})

it('connects through a Unix socket', async () => {
  const url = new URL(String(process.env.TEST_DATABASE_URL))
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const server = createServer((client) => {
    const postgres = connect(Number(url.port), url.hostname)
    client.pipe(postgres).pipe(client)
  })
  await once(server.listen(join(folder, '.s.PGSQL.5433')), 'listening')
  const { username, password, pathname } = url
  const socketUrl = `postgres://${username}:${password}@${encodeURIComponent(folder)}:5433${pathname}`
  const pool = openDatabase({ url: socketUrl, max: 1 })
  try {
    await migrateDatabase(socketUrl)
    expect(await pool.use(({ rows }) => rows(sql`select 1 as one`))).toEqual([{ one: 1 }])
    await pool.close(0)
    await new Promise((resolve) => server.close(resolve))
    // PostgreSQL also deletes its socket when it stops.
    const late = openDatabase({ url: socketUrl, max: 1 })
    await expect(late.use(({ rows }) => rows(sql`select 1`))).rejects.toMatchObject({ code: 'connection_refused' })
    await late.close(0)
  } finally {
    await pool.close(0)
    server.close()
    await rm(folder, { recursive: true })
  }
})

it('parses an IPv6 address with or without a port in a URL', () => {
  expect(hostOptions('postgres://u:p@[2001:db8::1]:6000/db')).toEqual({ host: ['2001:db8::1'], port: [6000] })
  expect(hostOptions('postgres://u:p@[::1]/db')).toEqual({ host: ['::1'], port: [5432] })
  expect(hostOptions('postgres://u:p@db:6000/db')).toEqual({})
})
