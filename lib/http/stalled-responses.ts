/** Closes connections whose client has stopped reading. Their responses would stay in memory, and exports would keep their slots. */
import type { ServerResponse } from 'node:http'
import { reportLoad } from '@/db/semaphore'

/** How long a client can read nothing of a response that is waiting for it. */
const STALL_MS = 30_000

let closed = 0

reportLoad('stalled_responses', () => ({ active: 0, waiting: 0, refused: closed }))

/**
 * Closes the connection of a response if its client reads nothing for `stallMs`. The time that the server takes does not count.
 *
 * @param stallMs in milliseconds
 */
export function limitStall(response: ServerResponse, stallMs = STALL_MS): void {
  // Node restarts the time whenever the client takes a part of what is written.
  response.setTimeout(stallMs, () => {
    const { socket } = response
    if (!socket) return
    if (socket.writableLength === 0) {
      socket.setTimeout(stallMs)
      return
    }
    closed += 1
    socket.destroy()
  })
}
