/** Closes the server gracefully: clients receive complete responses to the requests in progress, unless these take too long. */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { destroyConnections, listUnsent } from './connections'

/**
 * The interval, in milliseconds, at which idle connections are closed. A connection whose request arrived before the shutdown stays open
 * after the response.
 */
const IDLE_CHECK_MS = 200

/**
 * Closes idle connections, except those with an unsent response: Node considers a connection idle as soon as its response is complete, even
 * if the client has not read it.
 */
function closeIdleConnections(server: Server): void {
  const unsent: { destroy?: unknown }[] = listUnsent()
  // Node closes idle connections with `destroy`.
  for (const connection of unsent) connection.destroy = () => connection
  server.closeIdleConnections()
  for (const connection of unsent) delete connection.destroy
}

/**
 * Stops accepting connections, and closes each connection when it is idle. Resolves once all are closed.
 *
 * @param abortMs the time, in milliseconds, after which requests still in progress are aborted
 */
export function closeServer(server: Server, abortMs: number): Promise<void> {
  return new Promise((resolve) => {
    const abortTimer = setTimeout(() => {
      server.closeAllConnections()
      destroyConnections()
    }, abortMs)
    const idleTimer = setInterval(closeIdleConnections, IDLE_CHECK_MS, server)
    // Not `server.close`, because it also closes the connections that Node considers idle.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(abortTimer)
      clearInterval(idleTimer)
      resolve()
    })
    closeIdleConnections(server)
  })
}
