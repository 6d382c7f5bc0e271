/** A round-robin TCP proxy: each request on a connection goes to the next server, so that tests cannot rely on one server's memory. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type RoundRobinProxy = {
  url: string
  /** The number of requests that each server received. */
  requestCounts(): number[]
  /** Replaces a server. @param port the port of the server that takes its place */
  point(index: number, port: number): void
  close(): Promise<void>
}

/** Matches the start of a request. Other data that arrives after a response is the rest of a body that the server did not wait for. */
const REQUEST = /^[A-Z]+ [^\r\n]+ HTTP\/1\.[01]\r\n/

/** Returns how many bytes of a response follow its first chunk; undefined if that is unknown or the response ends the connection. */
function countRest(piece: Buffer): number | undefined {
  const end = piece.indexOf('\r\n\r\n')
  const head = piece.subarray(0, end).toString('latin1')
  const [, length] = /^content-length: *(\d+)$/im.exec(head) ?? []
  if (end === -1 || length === undefined || /^connection: *close$/im.test(head)) return undefined
  return Number(length) - (piece.length - end - 4)
}

/**
 * Starts a proxy on this machine.
 *
 * @param ports the servers' ports; a port that nothing listens on is skipped
 * @param port the port to listen on, any free one by default
 */
export async function startRoundRobinProxy(ports: readonly number[], port = 0): Promise<RoundRobinProxy> {
  const targets = [...ports]
  const sockets = new Set<Socket>()
  const counts = targets.map(() => 0)
  let turn = 0
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((client) => {
    track(client)
    let upstream: Socket | undefined
    let hasAnswered = false
    let rest: number | undefined
    /** The bytes of this request, kept until a server accepts the connection. If a server does not, they are sent to the next one. */
    let sent: Buffer[] = []

    const open = (index: number, tries = targets.length) => {
      const socket = connect(targets[index] ?? 0, '127.0.0.1')
      track(socket)
      upstream = socket
      let isConnected = false
      socket.on('connect', () => {
        isConnected = true
        counts[index] = (counts[index] ?? 0) + 1
        sent = []
      })
      for (const piece of sent) socket.write(piece)
      socket.on('data', (response) => {
        rest = hasAnswered ? rest && rest - response.length : countRest(response)
        hasAnswered = true
        if (!client.write(response)) socket.pause()
      })
      socket.on('close', () => {
        if (socket !== upstream) return
        if (!isConnected && tries > 1) open((index + 1) % targets.length, tries - 1)
        // The client's connection outlives the server's; the next request goes to another server.
        else if (hasAnswered && rest === 0) upstream = undefined
        else if (hasAnswered) client.end()
        else client.destroy()
      })
    }

    client.on('data', (piece) => {
      const isNext = upstream === undefined || (hasAnswered && REQUEST.test(piece.toString('latin1')))
      if (!isNext) {
        if (sent.length > 0) sent.push(piece)
        upstream?.write(piece)
        return
      }
      const before = upstream
      upstream = undefined
      before?.destroy()
      hasAnswered = false
      sent = [piece]
      open(turn++ % targets.length)
    })
    client.on('drain', () => upstream?.resume())
    client.on('close', () => upstream?.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCounts: () => counts,
    point: (index, to) => {
      targets[index] = to
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
