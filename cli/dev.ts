/**
 * The part of `npm run dev` that runs after the packages are installed: keeps the database open, and restarts the server process after
 * changes that require a restart.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { watch } from 'node:fs'
import { CommandError, printMessage } from './command'
import { runUntilStopped } from './commands/serve'
import { type SampleServer, type Step, serveSampleShop } from './demo'

/** Files that are loaded once per process. Next reloads pages, route handlers and `lib`. */
const RESTARTING_FILES = new Set(['server.ts', 'next.config.mjs', 'instrumentation.ts'])
const RESTARTING_FOLDERS = ['db']
/** How long to wait after a change before restarting, in milliseconds, because editors write a file in several steps. */
const SETTLE_MS = 100

/** Calls `restart` after a change to a file that requires a restart. */
function watchServer(restart: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(restart, SETTLE_MS)
  }
  // Watch the folder instead of the files, because most editors replace a file when they save it.
  watch('.', (_, file) => {
    if (file !== null && RESTARTING_FILES.has(file)) schedule()
  })
  for (const folder of RESTARTING_FOLDERS) watch(folder, { recursive: true }, schedule)
}

const untilExited = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })

/** Starts a server process. @param port the port to listen on; undefined for PORT @returns the process, and a promise of its URL */
function launch(port: string | undefined): { child: ChildProcess; listening: Promise<string> } {
  const child = fork('cli/dev-server.ts', {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'development', ...(port && { PORT: port }) },
  })
  const listening = new Promise<string>((resolve, reject) => {
    child.once('message', (url) => resolve(String(url)))
    // The process has printed why.
    child.once('exit', () => reject(new CommandError('The server did not start.')))
  })
  return { child, listening }
}

const NOTE = '  Pages, route handlers and lib reload on save; server.ts, next.config.mjs, instrumentation.ts and db/ restart the server.\n'

/** Runs the development server until the process is stopped. @param step prints names and durations in the format of the bootstrap */
export const develop = (step: Step): Promise<void> => serveSampleShop(step, (interrupted) => serve(step, interrupted), NOTE)

async function serve(step: Step, interrupted: AbortSignal): Promise<SampleServer> {
  let current = launch(undefined)
  // Otherwise, the process would keep using the database. It handles no signals and no messages while it starts.
  interrupted.addEventListener('abort', () => current.child.kill())
  const url = await step('Server', () => current.listening)
  let isStopping = false
  const stopped = runUntilStopped({
    stop: async () => {
      isStopping = true
      current.child.send('stop', () => {})
      await untilExited(current.child)
    },
  })
  let queue = Promise.resolve()
  const restart = async () => {
    if (isStopping) return
    printMessage('  Restarting the server …')
    current.child.send('stop', () => {})
    await untilExited(current.child)
    if (isStopping) return
    current = launch(new URL(url).port)
    const message = await current.listening.then(
      () => '  Restarted.',
      () => '  The server did not start. Save the file again once it is fixed.',
    )
    printMessage(message)
  }
  watchServer(() => {
    queue = queue.then(restart)
  })
  return { url, stopped }
}
