/** A round-robin proxy that sends each request to the next server, so that tests cannot rely on state in one server's memory. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type RoundRobinProxy = {
  url: string
  /** Returns the number of requests that each server has received. */
  requestCounts(): number[]
  /** Replaces a server with the one on this port. */
  setTarget(index: number, port: number): void
  close(): Promise<void>
}

/** Matches the start of a request. Any other data after a response is the rest of a body that the server did not wait for. */
const REQUEST = /^[A-Z]+ [^\r\n]+ HTTP\/1\.[01]\r\n/

/** Returns how many bytes of a response follow its first chunk, or undefined if that is unknown or the response closes the connection. */
function countRemainingBytes(chunk: Buffer): number | undefined {
  const end = chunk.indexOf('\r\n\r\n')
  const head = chunk.subarray(0, end).toString('latin1')
  const [, length] = /^content-length: *(\d+)$/im.exec(head) ?? []
  if (end === -1 || length === undefined || /^connection: *close$/im.test(head)) return undefined
  return Number(length) - (chunk.length - end - 4)
}

/**
 * Starts a proxy on this machine.
 *
 * @param ports the servers' ports; ports that nothing listens on are skipped
 * @param port the port to listen on; by default, any free one
 */
export async function startRoundRobinProxy(ports: readonly number[], port = 0): Promise<RoundRobinProxy> {
  const targets = [...ports]
  const sockets = new Set<Socket>()
  const counts = targets.map(() => 0)
  let nextIndex = 0
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((client) => {
    track(client)
    let upstream: Socket | undefined
    let hasResponded = false
    let remaining: number | undefined
    /** The request's bytes, kept until a server accepts the connection. If a server does not, they are sent to the next one. */
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
      for (const chunk of sent) socket.write(chunk)
      socket.on('data', (response) => {
        remaining = hasResponded ? remaining && remaining - response.length : countRemainingBytes(response)
        hasResponded = true
        if (!client.write(response)) socket.pause()
      })
      socket.on('close', () => {
        if (socket !== upstream) return
        if (!isConnected && tries > 1) open((index + 1) % targets.length, tries - 1)
        // Keep the client's connection open: its next request goes to another server.
        else if (hasResponded && remaining === 0) upstream = undefined
        else if (hasResponded) client.end()
        else client.destroy()
      })
    }

    client.on('data', (chunk) => {
      const isNext = upstream === undefined || (hasResponded && REQUEST.test(chunk.toString('latin1')))
      if (!isNext) {
        if (sent.length > 0) sent.push(chunk)
        upstream?.write(chunk)
        return
      }
      const before = upstream
      upstream = undefined
      before?.destroy()
      hasResponded = false
      sent = [chunk]
      open(nextIndex++ % targets.length)
    })
    client.on('drain', () => upstream?.resume())
    client.on('close', () => upstream?.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCounts: () => counts,
    setTarget: (index, targetPort) => {
      targets[index] = targetPort
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
