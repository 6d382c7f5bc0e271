/** A client that stops reading loses its connection; slow servers and slow clients keep theirs. */
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { reportedLoads } from '@/db/semaphore'
import { limitStall } from './stalled-responses'

const STALL_MS = 200

/** Larger than the socket buffers of both sides. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

async function open(handle: RequestListener) {
  let isClosed = false
  const server = createServer((request, response) => {
    limitStall(response, STALL_MS)
    response.once('close', () => {
      isClosed = true
    })
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return { socket, isClosed: () => isClosed }
}

const closedCount = () => reportedLoads().get('stalled_responses')?.refused ?? 0

it('closes the connection of a client that reads nothing', async () => {
  const before = closedCount()
  const { isClosed } = await open((_, response) => response.end(LARGE))
  await expect.poll(isClosed).toBe(true)
  expect(closedCount()).toBe(before + 1)
})

it('waits for a server that takes longer', async () => {
  const before = closedCount()
  const { socket } = await open((_, response) => void pause(4 * STALL_MS).then(() => response.end('late')))
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  socket.resume()
  await expect.poll(() => text).toContain('late')
  expect(closedCount()).toBe(before)
})

it('closes the connection of a client that stops reading after a server that took longer', async () => {
  const { isClosed } = await open((_, response) => void pause(3 * STALL_MS).then(() => response.end(LARGE)))
  await expect.poll(isClosed).toBe(true)
})
