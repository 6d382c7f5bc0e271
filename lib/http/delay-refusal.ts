/** Slows down clients that are refused again and again, and limits how many requests of one address wait for anything. */
import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'

/** The number of refusals per second that are sent at once, of each kind, and of long uploads. Browsers and integrations rarely cause more. */
const AT_ONCE = 50
const UPLOADS_AT_ONCE = 5
/** The least and the additional delay of the others, chosen at random, so that the clients do not send their next requests at the same moment. */
const DELAY_MS = 1_000
const JITTER_MS = 1_000
/** How many requests wait in a line, and of one address or integration. Beyond that, a refusal is sent at once. */
const MAX_WAITING = 2_000
const MAX_OF_ADDRESS = 20
const MAX_OF_INTEGRATION = 100

/**
 * Returns a function that counts a waiting request of an address, and returns a function to call when it no longer waits; undefined if too many wait.
 *
 * @param name the name of the throttle
 * @param most how many requests of one address wait
 */
function createLine(name: string, most: number): (address: string) => (() => void) | undefined {
  const addresses = new Map<string, number>()
  let waiting = 0
  let refused = 0
  reportLoad(name, () => ({ active: 0, waiting, refused }))
  return (address) => {
    const own = addresses.get(address) ?? 0
    if (own >= most || waiting >= MAX_WAITING) {
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
}

/** Counts a waiting request of a visitor's address. @returns a function to call when it no longer waits; undefined if too many wait */
export const joinLine = createLine('visitors', MAX_OF_ADDRESS)

const createBudget = (perSecond: number) => new RateLimiterMemory({ points: perSecond, duration: 1 })

const KINDS = {
  visitor: { budget: createBudget(AT_ONCE), join: joinLine },
  /** A long upload, of which the client has sent megabytes before it reads the response. */
  upload: { budget: createBudget(UPLOADS_AT_ONCE), join: joinLine },
  /** A request to the API above a rate limit. Some clients retry immediately and ignore `Retry-After`. */
  rateLimited: { budget: createBudget(AT_ONCE), join: createLine('rate_limited', MAX_OF_INTEGRATION) },
}

/** Waits before a refusal is sent, unless few are sent or too many wait already. */
export async function delayRefusal(address: string, kind: keyof typeof KINDS = 'visitor'): Promise<void> {
  const { budget, join } = KINDS[kind]
  const isRare = await budget.consume('all').then(
    () => true,
    () => false,
  )
  const leave = isRare ? undefined : join(address)
  if (!leave) return
  await pause(DELAY_MS + Math.random() * JITTER_MS)
  leave()
}
