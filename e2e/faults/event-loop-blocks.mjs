/**
 * Preloaded into a server to measure how long its event loop is blocked. Once a second, appends the longest block in that second to the
 * file in `EVENT_LOOP_BLOCKS` as `TIME server|pages MILLISECONDS`, where `TIME` is in milliseconds since the epoch. Works only on Linux.
 *
 * A block is measured in CPU time of the main thread, so that waiting for a CPU does not count. Stolen time, which the hypervisor gave to
 * other virtual machines, is subtracted, because Linux includes it in the CPU time.
 */
import { openSync, readSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'

const TICK_MS = 2
/** The interval in milliseconds between reads of the stolen time, which are slow. It is also read after every block longer than LONG_MS. */
const STOLEN_MS = 10
const LONG_MS = 10
const WRITE_MS = 1_000

const file = process.env.EVENT_LOOP_BLOCKS
const program = process.argv[1] ?? ''
const name = /page-server/.test(program) ? 'pages' : 'server'

/** Returns a function that reads the first `bytes` bytes of a file. */
function makeReader(path, bytes) {
  const opened = openSync(path, 'r')
  const buffer = Buffer.alloc(bytes)
  return () => buffer.toString('latin1', 0, readSync(opened, buffer, 0, buffer.length, 0))
}

/** Returns functions that read the main thread's CPU time and the total stolen time in milliseconds, or undefined except on Linux. */
function openClocks() {
  try {
    const thread = makeReader(`/proc/self/task/${process.pid}/schedstat`, 64)
    const all = makeReader('/proc/stat', 128)
    return { readTime: () => Number.parseInt(thread(), 10) / 1e6, readStolen: () => Number(all().split(/ +/)[8]) * 10 }
  } catch {
    return undefined
  }
}

const clocks = file && /page-server|desk/.test(program) ? openClocks() : undefined
if (clocks) {
  const { readTime, readStolen } = clocks
  let last = readTime()
  let stolen = readStolen()
  let readAt = performance.now()
  let longest = 0
  setInterval(() => {
    const time = readTime()
    const block = time - last
    last = time
    if (block <= LONG_MS && performance.now() - readAt < STOLEN_MS) {
      longest = Math.max(longest, block)
      return
    }
    const stolenNow = readStolen()
    longest = Math.max(longest, block - (stolenNow - stolen))
    stolen = stolenNow
    readAt = performance.now()
  }, TICK_MS).unref()
  setInterval(() => {
    // Write asynchronously, because a synchronous write to a busy disk would block the event loop.
    void appendFile(file, `${Date.now()} ${name} ${longest.toFixed(1)}\n`).catch(() => {})
    longest = 0
  }, WRITE_MS).unref()
}
