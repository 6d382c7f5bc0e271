/** Slows down clients that are rejected repeatedly, and limits how many requests per address wait for anything. */
import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'

/** The number of refusals per second that are sent immediately, per kind, and of long uploads. Browsers and integrations rarely cause more. */
const IMMEDIATE_PER_SECOND = 50
const IMMEDIATE_UPLOADS_PER_SECOND = 5
/** The minimum delay of other refusals, and the maximum random addition, so that the clients do not send their next requests at the same moment. */
const DELAY_MS = 1_000
const JITTER_MS = 1_000
/** The maximum number of waiting requests per queue, address and integration. Beyond that, a refusal is sent immediately. */
const MAX_WAITING = 2_000
const MAX_OF_ADDRESS = 20
const MAX_OF_INTEGRATION = 500

/**
 * Returns a function that counts a waiting request of an address, and returns a function to call when it no longer waits; undefined if too many wait.
 *
 * @param name the name of the throttle
 * @param maxWaiting the maximum number of waiting requests per address
 */
function createQueue(name: string, maxWaiting: number): (address: string) => (() => void) | undefined {
  const addresses = new Map<string, number>()
  let waiting = 0
  let refused = 0
  reportLoad(name, () => ({ active: 0, waiting, refused }))
  return (address) => {
    const own = addresses.get(address) ?? 0
    if (own >= maxWaiting || waiting >= MAX_WAITING) {
      refused += 1
      return undefined
    }
    addresses.set(address, own + 1)
    waiting += 1
    let isWaiting = true
    return () => {
      if (!isWaiting) return
      isWaiting = false
      waiting -= 1
      const left = (addresses.get(address) ?? 1) - 1
      if (left === 0) addresses.delete(address)
      else addresses.set(address, left)
    }
  }
}

/** Counts a waiting request of a visitor's address. @returns a function to call when it no longer waits; undefined if too many wait */
export const joinQueue = createQueue('visitors', MAX_OF_ADDRESS)

const createBudget = (perSecond: number) => new RateLimiterMemory({ points: perSecond, duration: 1 })

const KINDS = {
  visitor: { budget: createBudget(IMMEDIATE_PER_SECOND), join: joinQueue },
  /** A long upload: the client sends megabytes before it reads the response. */
  upload: { budget: createBudget(IMMEDIATE_UPLOADS_PER_SECOND), join: joinQueue },
  /** A request to the API above a rate limit, or under overload. Some clients retry immediately and ignore `Retry-After`. */
  api: { budget: createBudget(IMMEDIATE_PER_SECOND), join: createQueue('refusals', MAX_OF_INTEGRATION) },
}

/** Waits before a refusal is sent, unless few refusals are sent or too many are already waiting. */
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
