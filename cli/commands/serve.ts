/** desk serve */
import { readinessProblem } from '@/lib/http/health-routes'
import type { RunningServer } from '@/server'
import { type Command, CommandError, InterruptedError, printMessage, stopIfInterrupted } from '../command'
import { onStopSignal } from '../stop-signals'

/** The time after which the process exits even if the server has not stopped, in milliseconds. */
const STOP_MS = 24_000

/**
 * Stops the server when the process is asked to stop. Resolves once the server has stopped. Exits immediately with code 1 if it is asked
 * again more than a second later.
 */
export function runUntilStopped({ stop }: Pick<RunningServer, 'stop'>): Promise<void> {
  return new Promise((resolve, reject) => {
    onStopSignal(() => {
      setTimeout(() => process.exit(1), STOP_MS).unref()
      stop().then(resolve, reject)
      return 1
    }, true)
  })
}

/** Starts the server. @throws {CommandError} if it cannot listen on the address, or the pages have not been built */
export async function start(): Promise<RunningServer> {
  // React and Next read NODE_ENV when they are loaded, including in the process that renders pages, which inherits it.
  Object.assign(process.env, { NODE_ENV: 'production' })
  // Imported dynamically, because no other command needs the server and its dependencies.
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
    const started = await stopIfInterrupted(async () => {
      const running = await start()
      // Registers its handlers before `stopIfInterrupted` removes its own, so that no signal is missed, and before the server is announced,
      // because a supervisor may send a signal as soon as it reads that line.
      return { running, stopped: runUntilStopped(running) }
    }, true).catch((error: unknown) => {
      if (!(error instanceof InterruptedError)) throw error
    })
    if (!started) return {}
    const { running, stopped } = started
    announce(`Checkout Desk is running at ${running.url} and uses ${running.place}. Press Ctrl-C to stop.`)
    const problem = await readinessProblem()
    if (problem) announce(`The server is not ready: ${problem}`)
    await stopped
    announce('Stopped.')
    return {}
  },
}
