/** Runs Next in a process of its own, and passes requests to it, so that pages, exports and reports cannot delay check-in. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { UnavailableError } from '@/db/unavailable'
import { applyKeyChange, type KeyChange } from '../accounts/verify-key'
import { log } from '../core/log'
import { type MetricValues, setOtherMetrics } from '../core/metrics'
import { addressSecret } from './client-address'
import { refuse } from './page-handler'

const PROGRAM = join(import.meta.dirname, '../../page-server.ts')
/** How long the process has to end before it is killed, and the pause before it is started again. */
const STOP_MS = 2_000
const RESTART_MS = 500
const METRICS_MS = 1_000
/** Next links to a page's files in a header. */
const MAX_HEADER_BYTES = 64 * 1024

/** The path of its metrics, which the router never passes on. */
export const METRICS_PATH = '/metrics'

/** Sent to the process when it starts. */
export type PageSettings = {
  /** A folder to delete at the end. */
  folder: string
  /** The Unix socket, or the named pipe on Windows, to listen on. */
  socket: string
  databaseUrl: string
  /** The server's own port. */
  port: number
  addressSecret: string
}

/** Sent by the process. */
export type PageMessage = { type: 'ready' } | { type: 'failed'; message: string } | { type: 'key'; change: KeyChange }

export type PageProcess = {
  render: RequestListener
  stop(): Promise<void>
}

/** Headers that are about one connection (RFC 9110, 7.6.1), and `Expect`, which the server has answered. */
const OF_CONNECTION = new Set(['connection', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

function headersToSend({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name))
  // Next would set it to the address of the Unix socket, which has none.
  return { 'x-forwarded-for': socket.remoteAddress ?? '', ...Object.fromEntries(kept) }
}

function copyHead(response: IncomingMessage, outgoing: ServerResponse): void {
  const { rawHeaders, statusCode = 500 } = response
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at])
    if (!OF_CONNECTION.has(name.toLowerCase())) outgoing.appendHeader(name, String(rawHeaders[at + 1]))
  }
  outgoing.writeHead(statusCode)
}

/**
 * Starts the process and resolves once it can render. If it ends, pages get a 503 until it has been started again.
 *
 * @param program the process's program
 * @throws {Error} if it cannot start the first time, for example because the pages have not been built
 */
export async function startPageProcess(databaseUrl: string, port: number, program = PROGRAM): Promise<PageProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const agent = new Agent({ keepAlive: true })
  let child: ChildProcess
  let socketPath: string
  let isReady = false
  let hasStarted = false
  let isStopping = false

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const name = randomUUID()
      socketPath = process.platform === 'win32' ? `\\\\.\\pipe\\desk-${name}` : join(folder, name.slice(0, 8))
      child = fork(program, { execArgv: program.endsWith('.ts') ? ['--import', 'tsx'] : [] })
      child.on('message', (message: PageMessage) => {
        if (message.type === 'key') applyKeyChange(message.change)
        else if (message.type === 'failed') reject(new Error(message.message))
        else {
          isReady = true
          hasStarted = true
          resolve()
        }
      })
      child.once('exit', (code, signal) => {
        isReady = false
        reject(new Error(`The process that renders pages ended with ${signal ?? `code ${code}`}.`))
        if (isStopping || !hasStarted) return
        log().error({ code, signal }, 'the process that renders pages ended')
        setTimeout(() => isStopping || start().catch(() => {}), RESTART_MS)
      })
      child.send({ folder, socket: socketPath, databaseUrl, port, addressSecret: addressSecret() } satisfies PageSettings)
    })

  const stop = async () => {
    isStopping = true
    if (child.exitCode === null && child.signalCode === null) {
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      if (child.connected) child.disconnect()
      await once(child, 'exit')
      clearTimeout(kill)
    }
    agent.destroy()
    await rm(folder, { recursive: true, force: true })
  }

  const render: RequestListener = (incoming, outgoing) => {
    if (!isReady) {
      refuse(incoming, outgoing, new UnavailableError('The pages are starting.', { code: 'pages_starting' }))
      return
    }
    const { method = 'GET', url: path = '/' } = incoming
    const options = { socketPath, agent, method, path, headers: headersToSend(incoming), maxHeaderSize: MAX_HEADER_BYTES }
    const call = request(options, (response) => {
      copyHead(response, outgoing)
      // Waits for the client, and so does the page or export.
      pipeline(response, outgoing, () => {})
    })
    call.on('error', (error) => {
      // Whether a form was processed is unknown, so nothing must claim that it was not.
      if (outgoing.headersSent || method === 'POST') outgoing.destroy()
      else refuse(incoming, outgoing, new UnavailableError('The page was interrupted.', { cause: error, code: 'pages_ended' }))
    })
    outgoing.once('close', () => call.destroy())
    incoming.pipe(call)
  }

  const readMetrics = async (): Promise<MetricValues> => {
    const call = request({ socketPath, path: METRICS_PATH, signal: AbortSignal.timeout(METRICS_MS) }).end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    return JSON.parse(await text(response)) as MetricValues
  }
  // A counter that was missing once would look as if it had started again.
  let lastMetrics: MetricValues = []
  setOtherMetrics(async () => {
    lastMetrics = await readMetrics().catch(() => lastMetrics)
    return lastMetrics
  })

  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return { render, stop }
}
