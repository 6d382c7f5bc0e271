/** Sends HTTP requests as raw bytes, for requests that no HTTP client would send. */
import { connect } from 'node:net'

export type RawResponse = {
  /** 0 if the connection was closed without a response. */
  status: number
  /** The headers, with lowercase names. */
  headers: Record<string, string>
  body: string
  /** Whether the server has closed the connection or announced it with `Connection: close`. */
  isClosed: boolean
}

/**
 * Sends bytes, then reads until the response is complete or the server closes the connection. A response without a Content-Length counts
 * as complete once its headers have arrived.
 *
 * @param chunks the bytes of the request, in chunks that are written separately
 * @throws if neither happens within `timeoutMs`
 */
export function sendRaw(url: string, chunks: (string | Buffer)[], timeoutMs = 30_000): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    let isClosed = false
    const parse = (): RawResponse | undefined => {
      const text = received.toString('utf8')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return undefined
      const [first = '', ...lines] = text.slice(0, end).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const body = text.slice(end + 4)
      if (!isClosed && headers['content-length'] && Buffer.byteLength(body) < Number(headers['content-length'])) return undefined
      return { status: Number(first.split(' ')[1]), headers, body, isClosed }
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`No response within ${timeoutMs} ms: ${received.toString()}`))
    }, timeoutMs)
    const check = () => {
      const raw = parse()
      if (!raw) return
      clearTimeout(timer)
      socket.destroy()
      resolve(raw)
    }
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      check()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      isClosed = true
      clearTimeout(timer)
      const raw = parse()
      resolve(raw ?? { status: 0, headers: {}, body: received.toString(), isClosed })
    })
    socket.on('connect', () => {
      for (const chunk of chunks) socket.write(chunk)
    })
  })
}
