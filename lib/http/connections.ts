/**
 * Tracks the responses in progress on each connection, disposes of unread request bodies, closes connections gracefully, and limits how
 * long a client can go without reading.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { reportLoad } from '@/db/semaphore'

/** If the declared length of a body is at most this, the rest of it is drained after the response, so that the connection can be reused. */
const DISCARD_BYTES = 64 * 1024
/** How long draining a body may take, and how long a client has to read the last response before it is disconnected, in milliseconds. */
const LINGER_MS = 500
/** How long a client can go without reading any of a response that is waiting for it, in milliseconds. */
const STALL_MS = 30_000

/** The number of connections closed because their clients stopped reading. */
let stalled = 0

reportLoad('stalled_responses', () => ({ active: 0, waiting: 0, refused: stalled }))

/**
 * Stops reading a request body that is too large to drain or whose length is unknown, and frees the part that is buffered. Otherwise, up to
 * 64 KiB per waiting request would stay in memory, and V8 would run a full garbage collection every few seconds.
 *
 * @returns whether the request has such a body and part of it has not arrived yet
 */
export function abandonUpload(incoming: IncomingMessage): boolean {
  const { complete, headers } = incoming
  if (complete || (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= DISCARD_BYTES)) return false
  // Pauses on the next tick, because a `resume` that is already scheduled would start reading again.
  process.nextTick(() => incoming.socket.pause())
  // Keeps the socket paused. Otherwise, Node would drain the rest after the response.
  incoming._read = () => {}
  // Drops a chunk that has already been parsed.
  incoming.push = () => false
  incoming.read()
  return true
}

/** Drains the rest of a short body, or closes the connection if that takes too long. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return
  incoming.on('error', () => {})
  incoming.resume()
  setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroySoon()
  }, LINGER_MS).unref()
}

/**
 * Gives the client time to read the last response before the connection is closed. Closing it immediately would reset it, and clients that
 * are still sending would lose the response.
 */
function lingerBeforeClose(socket: Socket): void {
  // Node calls `destroySoon` after the response.
  socket.destroySoon = () => endConnection(socket)
}

/** Sends the last bytes on a connection, and closes it soon after, even if the client does not close it. */
export function endConnection(connection: Duplex, lastBytes = ''): void {
  connection.end(lastBytes)
  setTimeout(() => connection.destroy(), LINGER_MS).unref()
}

/** The responses in progress on each connection, in the order of their requests. */
const responsesInProgress = new Map<Duplex, Set<ServerResponse>>()

/** Returns the connections with responses that have ended but not been sent completely, for example because a client reads slowly. */
export const listUnsent = (): Duplex[] =>
  [...responsesInProgress].flatMap(([connection, responses]) =>
    [...responses].some(({ writableEnded, writableFinished }) => writableEnded && !writableFinished) ? [connection] : [],
  )

/** Destroys the connections that have had a request, including those that Node no longer tracks because of a CONNECT. */
export function destroyConnections(): void {
  for (const connection of responsesInProgress.keys()) connection.destroy()
}

/** The connections that will be closed after a response in progress. */
const closing = new WeakSet<Duplex>()

/** Returns whether a connection will be closed after a response in progress. */
export const isClosing = (connection: Duplex): boolean => closing.has(connection)

/**
 * Registers a response in progress, so that it is still sent if invalid bytes follow its request, and so that it is closed with its
 * connection. Before version 24, Node does not close responses that wait for an earlier one.
 */
export function trackResponse(response: ServerResponse): void {
  const { socket } = response.req
  const responses = responsesInProgress.get(socket) ?? new Set()
  if (!responsesInProgress.has(socket)) {
    socket.once('close', () => {
      responsesInProgress.delete(socket)
      responses.forEach(closeWaiting)
    })
  }
  responsesInProgress.set(socket, responses.add(response))
  response.once('close', () => responses.delete(response))
  if (response.socket) return
  // Emitted when the earlier responses have been sent. From version 24, Node waits forever for a destroyed response to end.
  response.once('socket', () => {
    if (response.destroyed) socket.destroy()
  })
}

/** Closes a response that waits for an earlier one, as Node does from version 24. */
function closeWaiting(response: ServerResponse): void {
  if (response.socket || response.writableFinished) return
  response.destroy()
  response.emit('close')
}

/** The rejection of a request whose body is not valid HTTP or does not arrive in time. There is no `requestId` if no response is sent. */
type Rejection = { status: number; requestId?: string }

const rejections = new WeakMap<ServerResponse, Rejection>()

/** Returns the rejection of a request whose handler had already been called, or undefined if the request was not rejected. */
export const getRejection = (response: ServerResponse): Rejection | undefined => rejections.get(response)

/**
 * Records the rejection of a request whose body has not arrived completely, unless its response has started.
 *
 * @returns whether the connection has such a request
 */
export function rejectIncomplete(connection: Duplex, rejection: Rejection): boolean {
  const response = [...(responsesInProgress.get(connection) ?? [])].find(({ req }) => !req.complete)
  if (response && !response.headersSent) rejections.set(response, rejection)
  return response !== undefined
}

/** Closes a connection after the response to its last complete request. Returns whether such a response is in progress. */
export function closeAfterResponse(connection: Duplex): boolean {
  const response = [...(responsesInProgress.get(connection) ?? [])].findLast(({ req }) => req.complete)
  if (!response) return false
  const { socket } = response.req
  closing.add(socket)
  lingerBeforeClose(socket)
  // Adds `Connection: close`, unless the headers have already been sent.
  response.shouldKeepAlive = false
  // Runs before Node's own listener, which would start to send the next response if the headers have already been sent.
  response.prependOnceListener('finish', () => socket.destroySoon())
  return true
}

/** Makes the connection close after the response, without reading the rest of the body. */
function closeUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.setHeader('Connection', 'close')
  incoming.on('error', () => {})
  lingerBeforeClose(incoming.socket)
}

/** Drains the rest of a request's body after the response, or closes the connection if the body is too large to drain. */
export function disposeOfBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (abandonUpload(incoming)) closeUnread(incoming, outgoing)
  else if (!incoming.complete) outgoing.once('close', () => discardRest(incoming))
}

/**
 * Closes the connection of a response if its client reads nothing for `stallMs`, so that stalled exports do not hold their slots. The time
 * that the server takes does not count.
 *
 * @param stallMs the time limit in milliseconds
 */
export function limitStall(response: ServerResponse, stallMs = STALL_MS): void {
  // Node restarts the timeout whenever the client reads some of the written data.
  response.setTimeout(stallMs, () => {
    const { socket } = response
    if (!socket) return
    if (socket.writableLength === 0) {
      socket.setTimeout(stallMs)
      return
    }
    stalled += 1
    socket.destroy()
  })
}
