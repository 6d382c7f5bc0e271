/** Sends requests one after another over a keep-alive connection, reconnecting if the server has closed it, and parses the responses. */
import { connect, type Socket } from 'node:net'
import type { RawResponse } from './raw'

export type RawConnection = {
  /** Sends a request. @throws if no complete response arrives within `TIMEOUT_MS` or the server closes the connection without one */
  send(bytes: Buffer, isHead: boolean): Promise<RawResponse>
  close(): void
}

const TIMEOUT_MS = 5_000

/** Decodes a chunked body, ignoring chunk extensions and trailers. Returns undefined if the body is incomplete or not chunked. */
function decodeChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let position = 0; ; ) {
    const end = bytes.indexOf('\r\n', position)
    const size = Number.parseInt(bytes.toString('latin1', position, end), 16)
    if (end === -1 || Number.isNaN(size)) return undefined
    // The last chunk and any trailers are followed by an empty line.
    if (size === 0) return bytes.includes('\r\n\r\n', end) ? Buffer.concat(chunks) : undefined
    const start = end + 2
    position = start + size + 2
    if (bytes.length < position) return undefined
    chunks.push(bytes.subarray(start, start + size))
  }
}

export function openRawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url)
  let socket: Socket | undefined
  let received = Buffer.alloc(0) as Buffer
  let onChange = () => {}
  let hasEnded = true

  const open = () => {
    const current = connect(Number(port), hostname)
    socket = current
    received = Buffer.alloc(0)
    hasEnded = false
    current.on('data', (chunk) => {
      if (current !== socket) return
      received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk
      onChange()
    })
    current.on('error', () => {})
    current.on('close', () => {
      if (current !== socket) return
      hasEnded = true
      onChange()
    })
    return current
  }

  const parse = (isHead: boolean): RawResponse | undefined => {
    const end = received.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const status = Number(first.split(' ')[1])
    if (status === 100) {
      received = received.subarray(end + 4)
      return parse(isHead)
    }
    const hasNoBody = isHead || status === 204
    let body = received.subarray(end + 4)
    if (!hasNoBody && headers['transfer-encoding'] === 'chunked') {
      const decoded = decodeChunks(body)
      if (!decoded) return undefined
      body = decoded
    } else if (!hasNoBody) {
      const length = Number(headers['content-length'] ?? 0)
      if (body.length < length) return undefined
      body = body.subarray(0, length)
    }
    return { status, headers, body: hasNoBody ? '' : body.toString(), isClosed: hasEnded || headers.connection === 'close' }
  }

  return {
    send: (bytes, isHead) =>
      new Promise((resolve, reject) => {
        const current = hasEnded || !socket ? open() : socket
        received = Buffer.alloc(0)
        const timer = setTimeout(() => finish(new Error(`No response within ${TIMEOUT_MS} ms.`)), TIMEOUT_MS)
        const finish = (result: RawResponse | Error) => {
          clearTimeout(timer)
          onChange = () => {}
          if (result instanceof Error || result.isClosed) {
            hasEnded = true
            current.destroy()
          }
          if (result instanceof Error) reject(result)
          else resolve(result)
        }
        onChange = () => {
          const response = parse(isHead)
          if (response) finish(response)
          else if (hasEnded)
            finish(new Error(`The connection was closed without a complete response: ${received.toString('latin1').slice(0, 200)}`))
        }
        current.write(bytes)
      }),
    close: () => socket?.destroy(),
  }
}
