/** Opens sockets that deliver whole PostgreSQL messages to the driver. */
import { connect, type Socket } from 'node:net'

/** The size of a socket's read buffer, in bytes. Without the buffer, Node would allocate 64 KiB for each read of 8 kB. */
const SLAB = 512 * 1024
/** The minimum free space in the buffer for the next read, in bytes. */
const READ = 64 * 1024
/** The size of the largest message that is passed to the driver whole, in bytes. The driver joins the parts of a larger one. */
const MAX_HELD = SLAB - READ
/** The size of a message's type and length fields, in bytes. The length does not include the type. */
const HEADER = 5

/** An address: a host and a port, or the path of a Unix socket. */
export type Address = { host: string; port: number; path?: string | false }

/**
 * Opens a socket whose `data` events contain whole messages. With an ordinary socket, the driver would copy the bytes of each read once
 * more, because PostgreSQL sends 8 kB at a time, and these chunks usually end with an incomplete row.
 */
export function openSocket({ host, port, path }: Address): Socket {
  let slab = Buffer.allocUnsafeSlow(SLAB)
  // Offsets in `slab`: the end of what the driver has received, the end of what has been read, and the start of the next message, which
  // might not have been read yet.
  let delivered = 0
  let end = 0
  let next = 0
  let isFirst = true

  const read = (bytes: number) => {
    end += bytes
    // The response to the TLS request is a single byte without a length.
    if (isFirst && bytes === 1) next = 1
    isFirst = false
    let whole = next <= end ? next : delivered
    while (next + HEADER <= end) {
      next += 1 + slab.readUInt32BE(next + 1)
      if (next <= end) whole = next
    }
    const upTo = Math.max(next, end) - whole > MAX_HELD ? end : whole
    const chunk = slab.subarray(delivered, upTo)
    delivered = upTo
    if (SLAB - end < READ) {
      const rest = slab.subarray(delivered, end)
      slab = Buffer.allocUnsafeSlow(SLAB)
      slab.set(rest)
      next -= delivered
      end = rest.length
      delivered = 0
    }
    if (chunk.length > 0) socket.emit('data', chunk)
    return true
  }

  const onread = { buffer: () => slab.subarray(end), callback: read }
  const socket = connect(path ? { path, onread } : { host, port, onread })
  return socket
}

/** An option of the driver that its types lack: a function that returns the socket for a new connection. */
type SocketOption = (target: { host: string[]; port: number[]; path?: string | false }) => Socket

/** Counts the connections being opened. @returns the count, and the driver's option `socket` */
export function countOpening(): { count(): number; socket: SocketOption } {
  let opening = 0
  const socket: SocketOption = ({ host: [host = ''], port: [port = 0], path }) => {
    opening += 1
    let isOpening = true
    const end = () => {
      if (isOpening) opening -= 1
      isOpening = false
    }
    const opened = openSocket({ host, port, ...(path && { path }) })
    // PostgreSQL sends its first bytes once it has started a process for the connection.
    opened.once('data', end).once('close', end)
    // The driver reads the host name for TLS from the socket.
    return Object.assign(opened, { host, port })
  }
  return { count: () => opening, socket }
}

/**
 * Returns the driver's options for a host that it cannot read from a URL: an IPv6 address, or the percent-encoded directory of a Unix
 * socket. Returns no options for other hosts. The type is `object`, because the driver's types do not allow arrays.
 */
export function hostOptions(url: string): object {
  const { hostname, port } = new URL(url)
  const host = decodeURIComponent(hostname)
  if (host.startsWith('/')) return { host }
  return host.startsWith('[') ? { host: [host.slice(1, -1)], port: [Number(port || process.env.PGPORT || 5432)] } : {}
}
