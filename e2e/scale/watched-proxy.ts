/** A TCP proxy that records its traffic and can be down or hang. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type WatchedProxy = {
  port: number
  /** Returns what clients have sent since the last `forget`, as Latin-1. */
  sent(): string
  /** Returns what the server has sent since the last `forget`, as Latin-1. */
  received(): string
  /** Discards the recorded traffic. */
  forget(): void
  /** `down` closes open connections and refuses new ones; `hanging` accepts connections but forwards nothing. */
  setState(state: 'up' | 'down' | 'hanging'): Promise<void>
  close(): Promise<void>
}

/** Starts the proxy. @param target the server's port on this machine */
export async function startWatchedProxy(target: number): Promise<WatchedProxy> {
  const sockets = new Set<Socket>()
  let [sent, received, isHanging] = ['', '', false]
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    track(client)
    const upstream = connect(target, '127.0.0.1')
    track(upstream)
    client.on('data', (piece) => {
      if (isHanging) return
      sent += piece.toString('latin1')
      upstream.write(piece)
    })
    upstream.on('data', (piece) => {
      if (isHanging) return
      received += piece.toString('latin1')
      client.write(piece)
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
    forget: () => {
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
