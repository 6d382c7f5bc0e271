/** Runs the server process of `npm run dev`. `dev.ts` starts, stops and restarts it. */
import { setTimeout as pause } from 'node:timers/promises'
import { ListenError, startServer } from '@/server'
import { printMessage } from './command'

/** How long a restart waits for open requests and websockets, in milliseconds. */
const STOP_MS = 1_000

try {
  const running = await startServer({ isDevelopment: true })
  const stop = async () => {
    await Promise.race([running.stop(), pause(STOP_MS)])
    process.exit(0)
  }
  process.once('message', stop)
  process.once('disconnect', stop)
  // The parent process was killed during the start.
  if (!process.connected) await stop()
  // Ignore SIGINT, because Ctrl-C also reaches the parent process, which then sends the stop message.
  process.on('SIGINT', () => {})
  // The first request compiles the code that routes share, and lets Next accept websockets from pages that were open before a restart.
  await fetch(`${running.url.replace('localhost', '127.0.0.1')}/readyz`).catch(() => undefined)
  process.send?.(running.url)
} catch (error) {
  printMessage(error instanceof ListenError ? `desk: ${error.message}` : `desk: ${error instanceof Error ? error.stack : error}`)
  process.exit(1)
}
