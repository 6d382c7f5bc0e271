/**
 * Preloaded into a server: writes the longest times for which its event loop was blocked, in milliseconds of the main thread's processor time, so that
 * waiting for a processor of a busy machine does not count. Appends `TIME SERVER|PAGES MILLISECONDS` once a second to the file in `LOOP_HOLDS`.
 */
import { openSync, readSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'

const TICK_MS = 2
const WRITE_MS = 1_000

const file = process.env.LOOP_HOLDS
const program = process.argv[1] ?? ''
const name = /page-server/.test(program) ? 'pages' : 'server'

/** Returns a function that reads the processor time of the main thread in milliseconds, or undefined on a system without that. */
function mainThreadTime() {
  try {
    const clock = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    const buffer = Buffer.alloc(64)
    return () => Number.parseInt(buffer.toString('latin1', 0, readSync(clock, buffer, 0, buffer.length, 0)), 10) / 1e6
  } catch {
    return undefined
  }
}

const read = file && /page-server|desk/.test(program) ? mainThreadTime() : undefined
if (read) {
  let last = read()
  let longest = 0
  setInterval(() => {
    const now = read()
    longest = Math.max(longest, now - last)
    last = now
  }, TICK_MS).unref()
  setInterval(() => {
    // Not synchronously, because the event loop would wait for a busy disk.
    void appendFile(file, `${Date.now()} ${name} ${longest.toFixed(1)}\n`).catch(() => {})
    longest = 0
  }, WRITE_MS).unref()
}
