/** desk serve */
import { readinessProblem } from '@/lib/http/health-routes'
import type { RunningServer } from '@/server'
import { type Command, CommandError, printMessage, REPEAT_MS } from '../command'

/** The time after which the process exits even if the server has not stopped, in milliseconds. */
const STOP_MS = 24_000

/** How often a server that was started by npm checks whether its parent process has exited, in milliseconds. */
const ORPHAN_MS = 250

/**
 * Stops the server on SIGINT or SIGTERM, or when npm stops. Resolves once the server has stopped. A signal more than `REPEAT_MS` after the
 * first one exits immediately with code 1.
 */
export function runUntilStopped(running: Pick<RunningServer, 'stop'>): Promise<void> {
  return new Promise((resolve, reject) => {
    let stoppedAt: number | undefined
    const stop = () => {
      if (stoppedAt !== undefined) return
      stoppedAt = performance.now()
      setTimeout(() => process.exit(1), STOP_MS).unref()
      running.stop().then(resolve, reject)
    }
    const onSignal = () => {
      if (stoppedAt !== undefined && performance.now() - stoppedAt > REPEAT_MS) process.exit(1)
      stop()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    // npm kills the shell between itself and this process without forwarding the signal, so treat the shell's exit as the signal.
    if (process.env.npm_lifecycle_event) {
      const parent = process.ppid
      const watch = setInterval(() => {
        if (process.ppid === parent) return
        clearInterval(watch)
        stop()
      }, ORPHAN_MS)
      watch.unref()
    }
  })
}

/** Starts the server. @throws {CommandError} if it cannot listen on the address, or the pages have not been built */
export async function start(): Promise<RunningServer> {
  // React and Next read NODE_ENV when they are loaded.
  Object.assign(process.env, { NODE_ENV: 'production' })
  // Imported only when needed, because it loads Next, which no other command uses.
  const { ListenError, startServer } = await import('@/server')
  try {
    return await startServer()
  } catch (error) {
    if (error instanceof ListenError) throw new CommandError(error.message)
    if (error instanceof Error && error.message.includes('production build'))
      throw new CommandError('The pages have not been built. Run `npm run build` first.')
    throw error
  }
}

/** Prints a message to stderr: as text on a terminal, otherwise as a line of the JSON log. */
const announce = (msg: string) => printMessage(process.stderr.isTTY ? msg : JSON.stringify({ level: 30, time: Date.now(), msg }))

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Serves the API and the pages until SIGTERM or Ctrl-C. `npm start` does the same.',
  options: {},
  arguments: [0, 0],
  async run() {
    const running = await start()
    // Register the handlers before the first output, because a reader might stop the process as soon as it sees the output.
    const stopped = runUntilStopped(running)
    announce(`Checkout Desk is running at ${running.url} and uses ${running.place}. Press Ctrl-C to stop.`)
    const problem = await readinessProblem()
    if (problem) announce(`The server is not ready: ${problem}`)
    await stopped
    announce('Stopped.')
    return {}
  },
}
