/** Sends HTTP requests as raw bytes, so that tests can send ones that no HTTP client would. */
import { connect } from 'node:net'

export type RawResponse = {
  /** 0 if the connection was closed without a response. */
  status: number
  /** Names are in lowercase. */
  headers: Record<string, string>
  body: string
  /** Whether the server has closed the connection, or `Connection: close` announces it. */
  isClosed: boolean
}

/**
 * Sends bytes, and reads until the response is complete or the server closes the connection. A response without a Content-Length counts as
 * complete once its headers have arrived.
 *
 * @param pieces the bytes of the request, written one piece after another
 * @throws if neither happens within `waitMs`
 */
export function sendRaw(url: string, pieces: (string | Buffer)[], waitMs = 30_000): Promise<RawResponse> {
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
      reject(new Error(`No response within ${waitMs} ms: ${received.toString()}`))
    }, waitMs)
    const look = () => {
      const raw = parse()
      if (!raw) return
      clearTimeout(timer)
      socket.destroy()
      resolve(raw)
    }
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      look()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      isClosed = true
      clearTimeout(timer)
      const raw = parse()
      resolve(raw ?? { status: 0, headers: {}, body: received.toString(), isClosed })
    })
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece)
    })
  })
}
