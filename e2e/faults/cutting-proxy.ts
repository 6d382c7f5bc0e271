/** A TCP proxy that drops certain responses and closes the connection. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type CuttingProxy = {
  port: number
  /** Returns the number of connections that have been cut. */
  cuts(): number
  close(): Promise<void>
}

/**
 * Starts the proxy.
 *
 * @param target the port of the real server on this machine
 * @param shouldCut returns whether to drop a chunk from the server and cut the connection
 */
export async function startCuttingProxy(target: number, shouldCut: (chunk: Buffer) => boolean): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cuts = 0
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    track(client)
    track(upstream)
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      if (shouldCut(chunk)) {
        cuts += 1
        client.destroy()
        upstream.destroy()
      } else client.write(chunk)
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
