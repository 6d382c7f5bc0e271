/** Slows down clients that are refused again and again, and limits how many requests of one address wait for anything. */
import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'

/** The number of refusals per second that are sent at once, of all and of long uploads. Browsers and integrations rarely cause more. */
const AT_ONCE = 50
const UPLOADS_AT_ONCE = 5
/** The least and the additional delay of the others, chosen at random, so that the clients do not send their next requests at the same moment. */
const DELAY_MS = 1_000
const JITTER_MS = 1_000
/** How many requests wait, in total and per address. Beyond that, a refusal is sent at once, because it costs less than the wait. */
const MAX_WAITING = 2_000
const MAX_OF_ADDRESS = 20

const budget = new RateLimiterMemory({ points: AT_ONCE, duration: 1 })
const uploads = new RateLimiterMemory({ points: UPLOADS_AT_ONCE, duration: 1 })
const addresses = new Map<string, number>()
let waiting = 0
let refused = 0

reportLoad('visitors', () => ({ active: 0, waiting, refused }))

/** Counts a waiting request of an address. @returns a function to call when it no longer waits; undefined if too many wait */
export function joinLine(address: string): (() => void) | undefined {
  const own = addresses.get(address) ?? 0
  if (own >= MAX_OF_ADDRESS || waiting >= MAX_WAITING) {
    refused += 1
    return undefined
  }
  addresses.set(address, own + 1)
  waiting += 1
  let isIn = true
  return () => {
    if (!isIn) return
    isIn = false
    waiting -= 1
    const left = (addresses.get(address) ?? 1) - 1
    if (left === 0) addresses.delete(address)
    else addresses.set(address, left)
  }
}

/**
 * Waits before a refusal is sent, unless few are sent or too many wait already.
 *
 * @param isUpload whether a long upload is refused, of which the client has sent megabytes before it reads the response
 */
export async function delayRefusal(address: string, isUpload = false): Promise<void> {
  const isRare = await (isUpload ? uploads : budget).consume('all').then(
    () => true,
    () => false,
  )
  const leave = isRare ? undefined : joinLine(address)
  if (!leave) return
  await pause(DELAY_MS + Math.random() * JITTER_MS)
  leave()
}
