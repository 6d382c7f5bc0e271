/** Requests a list at a fixed rate without waiting for responses, then prints counts. Usage: `load.ts URL KEY PATH PER_SECOND SECONDS`. */
import { keepAlive, sendRequest } from './send-request'

const [url = '', key = '', path = '', perSecond = '1', seconds = '1'] = process.argv.slice(2)
const TICK_MS = 20
/** The maximum number of requests in flight. More would measure the load generator instead of the server. */
const MAX_IN_FLIGHT = 100

/** The number of responses per status, of 503s without Retry-After (`bare`), and of requests beyond MAX_IN_FLIGHT (`skipped`). */
const counts: Record<string, number> = {}
const agent = keepAlive(MAX_IN_FLIGHT)
let inFlight = 0
let due = 0
const startedAt = performance.now()

const send = async () => {
  inFlight += 1
  const { status, headers } = await sendRequest(url, path, { headers: { Authorization: `Bearer ${key}` }, agent })
  inFlight -= 1
  counts[status] = (counts[status] ?? 0) + 1
  if (status === 503 && headers['retry-after'] === undefined) counts.bare = (counts.bare ?? 0) + 1
}

let offered = 0
const timer = setInterval(() => {
  const elapsed = performance.now() - startedAt
  if (elapsed > Number(seconds) * 1000) {
    clearInterval(timer)
    agent.destroy()
    process.stdout.write(`${JSON.stringify({ offered, perSecond: Math.round((offered / elapsed) * 1000), counts })}\n`)
    process.exit(0)
  }
  due = (elapsed / 1000) * Number(perSecond)
  while (offered < due) {
    offered += 1
    if (inFlight < MAX_IN_FLIGHT) void send()
    else counts.skipped = (counts.skipped ?? 0) + 1
  }
}, TICK_MS)
