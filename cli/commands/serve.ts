/** desk serve */
import type { Running } from '@/server'
import { type Command, CommandError, say } from '../command'

/** Past this the process goes, whatever still hangs. */
const STOP_MS = 24_000

/** Resolves when the server has been told to stop and has stopped. A second signal ends it at once. */
export function untilStopped(running: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false
    const stop = () => {
      if (stopping) process.exit(1)
      stopping = true
      setTimeout(() => process.exit(1), STOP_MS).unref()
      running.stop().then(resolve, reject)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/** @throws {CommandError} where the port is taken, or the pages have not been built */
export async function start(): Promise<Running> {
  // React and Next read it when they are loaded.
  Object.assign(process.env, { NODE_ENV: 'production' })
  // Loaded here, for it brings Next along, and no other command needs that.
  const { PortTaken, startServer } = await import('@/server')
  try {
    return await startServer()
  } catch (error) {
    if (error instanceof PortTaken) throw new CommandError(error.message)
    if (error instanceof Error && error.message.includes('production build'))
      throw new CommandError('The pages have not been built. Run `npm run build` first.')
    throw error
  }
}

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Serves the API and the pages until it is told to stop (SIGTERM or Ctrl-C). `npm start` is the same.',
  options: {},
  arguments: [0, 0],
  async run() {
    const running = await start()
    say(`Checkout Desk is at ${running.url}, on ${running.place}. Ctrl-C stops it.`)
    await untilStopped(running)
    say('Stopped.')
    return {}
  },
}
