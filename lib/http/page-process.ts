/** Runs Next in a separate process, and passes requests to it, so that pages, exports and reports cannot delay check-in. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { applyKeyChange, type KeyChange } from '../accounts/verify-key'
import { lowMemoryOptions } from '../core/env'
import { log } from '../core/log'
import { type MetricValues, setOtherMetrics } from '../core/metrics'
import { addressSecret } from './client-address'
import { getTarget } from './exchange'
import { refuse } from './page-handler'

const PROGRAM = join(import.meta.dirname, '../../page-server.ts')
/** How long the process has to exit before it is killed, in milliseconds. */
const STOP_MS = 2_000
/** The delay before the process is restarted, in milliseconds. It doubles with each restart until the process responds to a heartbeat. */
const RESTART_MS = 500
const MAX_RESTART_MS = 30_000
/** The number of consecutive missed heartbeats after which the process is killed. A few can be missed while check-in keeps the CPU busy. */
const MAX_MISSED = 3
/** The time limit for reading the process's metrics, in milliseconds. */
const METRICS_MS = 1_000
/** How long a request waits for the first byte of its response, in milliseconds: longer than an export waits for its slot. */
const RESPONSE_MS = 120_000
/**
 * The heap limit, in megabytes. Rendering needs half as much. Without a limit, exports and reports use twice as much, because Node collects
 * garbage later.
 */
const HEAP_MEGABYTES = 300
/** The maximum size of the process's response headers. One of them, `Link`, lists a page's files. */
const MAX_HEADER_BYTES = 64 * 1024

/** The path of the process's metrics. The server never passes on requests for this path. */
export const METRICS_PATH = '/metrics'

/** The message that is sent to the process when it starts. */
export type PageSettings = {
  /** The folder of the socket, which the process deletes when the server disconnects from it. */
  folder: string
  /** The Unix socket, or the named pipe on Windows, to listen on. */
  socket: string
  databaseUrl: string
  /** The server's port. */
  port: number
  addressSecret: string
}

/** A message from the process. `failed` says why it could not start; `key` reports a change to the server's cache of API keys. */
export type PageMessage = { type: 'ready' } | { type: 'failed'; message: string } | { type: 'key'; change: KeyChange }

export type PageProcess = {
  /** Passes a request to the process. */
  render: RequestListener
  stop(): Promise<void>
}

type PageProcessOptions = {
  /** The script that the process runs. */
  program?: string
  /** How long the process has to start, in milliseconds. */
  startMs?: number
  /** The interval of the heartbeats, and how long the process has to respond to one, in milliseconds. */
  heartbeatMs?: number
  /** The maximum number of requests that wait for their response. At half that number, requests for build files are already rejected. */
  maxWaiting?: number
}

/** Why the process exited or could not be started. */
type ProcessEnd = { code?: number | null; signal?: string | null; error?: Error }

let waiting = 0
let refused = 0
reportLoad('page_process', () => ({ active: 0, waiting, refused }))

/** The hop-by-hop headers (RFC 9110, 7.6.1), and `Expect`, which the server has already handled. */
const HOP_BY_HOP = new Set(['connection', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

function headersToSend({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))
  // Without this header, Next would use the address of the connection, but a Unix socket has none.
  return { 'x-forwarded-for': socket.remoteAddress ?? '', ...Object.fromEntries(kept) }
}

function copyHead(response: IncomingMessage, outgoing: ServerResponse): void {
  const { rawHeaders, statusCode = 500 } = response
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index])
    if (!HOP_BY_HOP.has(name.toLowerCase())) outgoing.appendHeader(name, String(rawHeaders[index + 1]))
  }
  outgoing.writeHead(statusCode)
}

/**
 * Starts the process and resolves when it can render. If it exits or hangs, it is restarted; until then, requests get a 503.
 *
 * @param port the server's port
 * @throws {Error} if it cannot start the first time, for example because the pages have not been built
 */
export async function startPageProcess(databaseUrl: string, port: number, options: PageProcessOptions = {}): Promise<PageProcess> {
  const { program = PROGRAM, startMs = 60_000, heartbeatMs = 10_000, maxWaiting = 1_000 } = options
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const agent = new Agent({ keepAlive: true })
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  let socketPath: string
  let isReady = false
  let hasStarted = false
  let restartMs = RESTART_MS

  const readMetrics = async (ms: number): Promise<MetricValues> => {
    const call = request({ socketPath, path: METRICS_PATH, signal: AbortSignal.timeout(ms) }).end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    return JSON.parse(await text(response)) as MetricValues
  }

  /** Kills the process if it stops responding. @throws {Error} once it has exited */
  const killIfUnresponsive = async (target: ChildProcess, ended: AbortSignal): Promise<void> => {
    let missed = 0
    while (missed < MAX_MISSED) {
      await pause(heartbeatMs, undefined, { signal: ended, ref: false })
      const responds = await readMetrics(heartbeatMs).then(
        () => true,
        () => false,
      )
      missed = responds ? 0 : missed + 1
      if (responds) restartMs = RESTART_MS
    }
    log().error({ missed }, 'the process that renders pages does not respond')
    target.kill('SIGKILL')
  }

  /** Runs the process until it exits, and returns the reason. @throws {Error} if it cannot be started */
  const run = (onReady: () => void): Promise<ProcessEnd> =>
    new Promise((resolve) => {
      const name = randomUUID()
      socketPath = process.platform === 'win32' ? `\\\\.\\pipe\\desk-${name}` : join(folder, name.slice(0, 8))
      const { env, execArgv } = lowMemoryOptions(HEAP_MEGABYTES)
      const started = fork(program, { env, execArgv: [...execArgv, ...(program.endsWith('.ts') ? ['--import', 'tsx'] : [])] })
      child = started
      const ended = new AbortController()
      let failure: Error | undefined
      const fail = (error: Error) => {
        failure ??= error
        started.kill('SIGKILL')
      }
      const timer = setTimeout(() => fail(new Error(`The process that renders pages did not start within ${startMs} ms.`)), startMs)
      const end = (ending: ProcessEnd) => {
        isReady = false
        clearTimeout(timer)
        ended.abort()
        resolve(ending)
      }
      started.on('message', (message: PageMessage) => {
        if (message.type === 'key') applyKeyChange(message.change)
        else if (message.type === 'failed') fail(new Error(message.message))
        else {
          clearTimeout(timer)
          isReady = true
          hasStarted = true
          onReady()
          void killIfUnresponsive(started, ended.signal).catch(() => {})
        }
      })
      // A process that could not be started has no ID, and emits no `exit`.
      started.once('error', (error) => (started.pid === undefined ? end({ error }) : fail(error)))
      started.on('error', () => {})
      started.once('exit', (code, signal) => end({ code, signal, error: failure }))
      started.send({ folder, socket: socketPath, databaseUrl, port, addressSecret: addressSecret() } satisfies PageSettings)
    })

  /** Runs the process and restarts it whenever it exits. Returns why it last exited, once it is stopped or if the first start fails. */
  const supervise = async (onReady: () => void): Promise<ProcessEnd> => {
    for (;;) {
      const ending = await run(onReady).catch((error: Error): ProcessEnd => ({ error }))
      if (!hasStarted || stopping.signal.aborted) return ending
      const { code, signal, error } = ending
      log().error({ code, signal, error }, 'the process that renders pages ended')
      const ms = restartMs
      restartMs = Math.min(2 * ms, MAX_RESTART_MS)
      await pause(ms, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return ending
    }
  }

  const render: RequestListener = (incoming, outgoing) => {
    // If the client has disconnected, `close` is not emitted again, so nothing would end the request below before its time limit.
    if (outgoing.destroyed) return
    if (!isReady) {
      refuse(incoming, outgoing, new UnavailableError('The pages are starting.', { code: 'pages_starting' }))
      return
    }
    const { method = 'GET' } = incoming
    // Without an origin, because the throttles are based on this path, and Next could derive a different one from the URL as sent.
    const path = getTarget(incoming)
    if (waiting >= (path.startsWith('/_next/static/') ? maxWaiting / 2 : maxWaiting)) {
      refused += 1
      refuse(incoming, outgoing, new UnavailableError(`${waiting} requests are waiting for the pages.`, { code: 'queue_full' }))
      return
    }
    const target = { socketPath, agent, method, path, headers: headersToSend(incoming), maxHeaderSize: MAX_HEADER_BYTES }
    const call = request(target, (response) => {
      leave()
      copyHead(response, outgoing)
      // `pipeline` adds seven `close` listeners to the server's own. Node.js warns about more than ten.
      outgoing.setMaxListeners(20)
      // Pauses while the client does not read, which also pauses the page or export.
      pipeline(response, outgoing, () => {})
    })
    waiting += 1
    const timer = setTimeout(() => call.destroy(new Error(`No response within ${RESPONSE_MS} ms.`)), RESPONSE_MS)
    let isWaiting = true
    const leave = () => {
      if (isWaiting) waiting -= 1
      isWaiting = false
      clearTimeout(timer)
    }
    call.once('close', leave)
    call.on('error', (error) => {
      // If the client has disconnected, the call was aborted, and nothing is wrong with the process.
      if (outgoing.destroyed) return
      // A form may have been processed, so the response must not claim that it was not.
      if (outgoing.headersSent || method === 'POST') outgoing.destroy()
      else refuse(incoming, outgoing, new UnavailableError('The page was interrupted.', { cause: error, code: 'pages_ended' }))
    })
    outgoing.once('close', () => call.destroy())
    incoming.pipe(call)
  }

  // Keeps the latest metrics, because a missing counter would look like a reset.
  let lastMetrics: MetricValues = []
  setOtherMetrics(async () => {
    lastMetrics = await readMetrics(METRICS_MS).catch(() => lastMetrics)
    return lastMetrics
  })

  let supervised: Promise<ProcessEnd | undefined> = Promise.resolve(undefined)
  const stop = async () => {
    stopping.abort()
    const kill = setTimeout(() => child?.kill('SIGKILL'), STOP_MS)
    if (child?.connected) child.disconnect()
    await supervised
    clearTimeout(kill)
    agent.destroy()
    await rm(folder, { recursive: true, force: true })
  }

  const ending = await new Promise<ProcessEnd | undefined>((resolve) => {
    supervised = supervise(() => resolve(undefined))
    void supervised.then(resolve)
  })
  if (ending) {
    await stop()
    const { code, signal, error = new Error(`The process that renders pages ended with ${signal ?? `code ${code}`}.`) } = ending
    throw error
  }
  return { render, stop }
}
