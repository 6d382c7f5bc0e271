/** Closes the server without cutting off a response. */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { hasUnsentResponses } from './exchange'

/** How often idle connections are closed. The response to a request that arrived before the shutdown keeps its connection open. */
const IDLE_MS = 200

/**
 * Closes idle connections, unless there are unsent responses: to Node, a connection is already idle when its response is complete, even if
 * its client has not read it.
 */
function closeIdleConnections(server: Server): void {
  if (!hasUnsentResponses()) server.closeIdleConnections()
}

/**
 * Stops accepting connections, and closes each connection when it is idle. Resolves once all are closed.
 *
 * @param abortMs how long running requests may take before they are aborted, in milliseconds
 */
export function closeServer(server: Server, abortMs: number): Promise<void> {
  return new Promise((resolve) => {
    const abortTimer = setTimeout(() => server.closeAllConnections(), abortMs)
    const idleTimer = setInterval(closeIdleConnections, IDLE_MS, server)
    // Not `server.close`, because it also closes the connections that are idle to Node.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(abortTimer)
      clearInterval(idleTimer)
      resolve()
    })
    closeIdleConnections(server)
  })
}
