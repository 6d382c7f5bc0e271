/** A TCP proxy that records its traffic and can be taken down or made to hang. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type RecordingProxy = {
  port: number
  /** Returns the data forwarded from clients since the last `clear`, as Latin-1. */
  sent(): string
  /** Returns the data forwarded from the server since the last `clear`, as Latin-1. */
  received(): string
  /** Discards the recorded traffic. */
  clear(): void
  /** `down` closes open connections and refuses new ones; `hanging` accepts connections but discards all data. */
  setState(state: 'up' | 'down' | 'hanging'): Promise<void>
  close(): Promise<void>
}

/** Starts the proxy. @param targetPort the server's port on this machine */
export async function startRecordingProxy(targetPort: number): Promise<RecordingProxy> {
  const sockets = new Set<Socket>()
  let [sent, received, isHanging] = ['', '', false]
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    track(client)
    const upstream = connect(targetPort, '127.0.0.1')
    track(upstream)
    client.on('data', (chunk) => {
      if (isHanging) return
      sent += chunk.toString('latin1')
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isHanging) return
      received += chunk.toString('latin1')
      client.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const closeAll = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    sent: () => sent,
    received: () => received,
    clear: () => {
      sent = ''
      received = ''
    },
    setState: async (state) => {
      isHanging = state === 'hanging'
      if (state === 'down') await closeAll()
      else if (!server.listening) await listen(port)
    },
    close: async () => {
      if (server.listening) await closeAll()
    },
  }
}
