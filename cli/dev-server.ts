/** The server process of `npm run dev`: the supervisor in `dev.ts` starts, stops and replaces it. */
import { setTimeout as pause } from 'node:timers/promises'
import { ListenError, startServer } from '@/server'
import { say } from './command'

/** A restart does not wait for open requests or websockets any longer. */
const STOP_MS = 1_000

try {
  const running = await startServer({ isDevelopment: true })
  const stop = async () => {
    await Promise.race([running.stop(), pause(STOP_MS)])
    process.exit(0)
  }
  process.once('message', stop)
  process.once('disconnect', stop)
  // Ctrl-C reaches the supervisor too, which sends the message.
  process.on('SIGINT', () => {})
  // Compiles the routes' shared code, and lets Next accept the websockets of pages that are open since before a restart.
  await fetch(`${running.url.replace('localhost', '127.0.0.1')}/readyz`).catch(() => undefined)
  process.send?.(running.url)
} catch (error) {
  say(error instanceof ListenError ? `desk: ${error.message}` : `desk: ${error instanceof Error ? error.stack : error}`)
  process.exit(1)
}
