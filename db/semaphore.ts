/**
 * Semaphores, shared semaphores and locks by key, with a bounded queue or a bounded wait, and quotas, which have no queue. The driver's own
 * queue has neither limit.
 */
import { startTimer } from './timer'
import { UnavailableError } from './unavailable'

export type Load = {
  /** The number of slots in use. */
  active: number
  waiting: number
  /** The number of callers rejected since the process started. */
  refused: number
}

export type Semaphore = {
  /**
   * Waits for a slot.
   *
   * @param owner the owner that the slot is for, such as a seller. Waiting owners take turns, so that one owner's callers do not delay
   *   another's
   * @returns a function that releases the slot; further calls have no effect
   * @throws {UnavailableError} `queue_full` or `pool_exhausted`
   */
  acquire(owner?: string): Promise<() => void>
  /** Runs `work` in a slot. Takes the same `owner` and throws the same errors as `acquire`. */
  run<T>(work: () => Promise<T>, owner?: string): Promise<T>
  /** Waits until no slot is in use, but for at most `maxMs` milliseconds. */
  whenIdle(maxMs: number): Promise<void>
  load(): Load
}

type SemaphoreOptions = {
  /** The name used in error messages, such as `the connection pool 'doors'`. */
  name: string
  /** The number of slots. */
  limit: number
  /** How long `acquire` waits, in milliseconds. If the event loop was blocked in the meantime, it waits longer, at most twice as long. */
  waitMs: number
  /** The maximum number of waiting callers. Further callers are rejected immediately. */
  queue?: number
  /** The maximum number of waiting callers of one owner. */
  queuePerOwner?: number
  /**
   * Returns whether to extend a wait that has timed out, for example because connections are still being opened. It is called at most
   * `MAX_PROLONGED` times per wait.
   */
  isProlonged?: () => boolean
}

const MAX_PROLONGED = 3

export function createSemaphore({
  name,
  limit,
  waitMs,
  queue = Number.POSITIVE_INFINITY,
  queuePerOwner = queue,
  isProlonged,
}: SemaphoreOptions): Semaphore {
  let free = limit
  /** The waiting callers by owner. The owners are in the order of their turns. */
  const queues = new Map<string, Set<() => void>>()
  let waiting = 0
  /** Functions to call when no slot is in use. */
  const idleCallbacks = new Set<() => void>()

  const release = () => {
    const [first] = queues
    if (!first) {
      free += 1
      if (free === limit) for (const proceed of [...idleCallbacks]) proceed()
      return
    }
    const [owner, callers] = first
    const [next] = callers
    // The owner's next caller is served after the other owners.
    queues.delete(owner)
    queues.set(owner, callers)
    next?.()
  }

  /** Returns a function that releases a slot once. */
  const createRelease = () => {
    let isHeld = true
    return () => {
      if (isHeld) release()
      isHeld = false
    }
  }

  let refused = 0
  const refuse = (code: string, message: string) => {
    refused += 1
    return new UnavailableError(message, { code })
  }

  const acquire = (owner = ''): Promise<() => void> => {
    if (free > 0) {
      free -= 1
      return Promise.resolve(createRelease())
    }
    if (waiting >= queue)
      return Promise.reject(refuse('queue_full', `All slots of ${name} (${limit}) are in use, and no more than ${queue} callers may wait.`))
    const callers = queues.get(owner) ?? new Set()
    if (callers.size >= queuePerOwner)
      return Promise.reject(refuse('queue_full', `No more than ${queuePerOwner} callers of one owner may wait for ${name}.`))
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting -= 1
        callers.delete(admit)
        if (callers.size === 0) queues.delete(owner)
      }
      const admit = () => {
        cancel()
        leave()
        resolve(createRelease())
      }
      let prolonged = 0
      const onTimeout = () => {
        if (prolonged < MAX_PROLONGED && isProlonged?.()) {
          prolonged += 1
          const timer = setTimeout(onTimeout, waitMs)
          cancel = () => clearTimeout(timer)
          return
        }
        leave()
        reject(refuse('pool_exhausted', `All slots of ${name} (${limit}) stayed in use for at least ${waitMs} ms.`))
      }
      let cancel = startTimer(waitMs, onTimeout)
      waiting += 1
      callers.add(admit)
      queues.set(owner, callers)
    })
  }

  const whenIdle = (maxMs: number): Promise<void> => {
    if (free === limit) return Promise.resolve()
    return new Promise((resolve) => {
      const proceed = () => {
        clearTimeout(timer)
        idleCallbacks.delete(proceed)
        resolve()
      }
      const timer = setTimeout(proceed, maxMs)
      idleCallbacks.add(proceed)
    })
  }

  return {
    acquire,
    whenIdle,
    load: () => ({ active: limit - free, waiting, refused }),
    async run(work, owner) {
      const release = await acquire(owner)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}

/** A semaphore that many sellers share. Each seller has a bounded queue and a limit on its slots, so that none can block the others. */
type SharedSemaphore = {
  /**
   * Waits for a slot for a seller. Returns and throws the same as `Semaphore.acquire`.
   *
   * @param owner the owner within the seller that the slot is for, such as a device. The seller's waiting owners take turns
   */
  acquire(sellerId: string, owner?: string): Promise<() => void>
  /** Runs `work` in a slot for a seller. Takes the same `owner` and throws the same errors as `acquire`. */
  run<T>(sellerId: string, work: () => Promise<T>, owner?: string): Promise<T>
  load(): Load
}

/**
 * Creates a semaphore that many sellers share. `perSeller` limits the slots and the waiting callers of one seller. If the semaphore is
 * shared by something other than sellers, such as devices, `perSeller.name` names this limit in error messages.
 */
export function createSharedSemaphore(
  options: SemaphoreOptions & {
    perSeller: Pick<SemaphoreOptions, 'limit' | 'queuePerOwner'> & Partial<Pick<SemaphoreOptions, 'name'>> & { queue: number }
  },
): SharedSemaphore {
  const { name, waitMs, perSeller } = options
  const shared = createSemaphore(options)
  /** The semaphores that are in use, by seller. */
  const sellers = new Map<string, Semaphore>()
  /** The number of callers that semaphores no longer in use have rejected. */
  let refusedBefore = 0
  const acquire = async (sellerId: string, owner?: string) => {
    const seller = sellers.get(sellerId) ?? createSemaphore({ name: `${name} of one seller`, waitMs, ...perSeller })
    sellers.set(sellerId, seller)
    const release = await seller.acquire(owner)
    const leave = () => {
      release()
      const { active, waiting, refused } = seller.load()
      if (active + waiting > 0 || sellers.get(sellerId) !== seller) return
      sellers.delete(sellerId)
      refusedBefore += refused
    }
    try {
      const releaseShared = await shared.acquire(sellerId)
      return () => {
        releaseShared()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }
  return {
    acquire,
    async run(sellerId, work, owner) {
      const release = await acquire(sellerId, owner)
      try {
        return await work()
      } finally {
        release()
      }
    },
    load() {
      const { active, refused } = shared.load()
      const loads = [...sellers.values()].map((seller) => seller.load())
      return {
        active,
        waiting: loads.reduce((sum, load) => sum + load.active + load.waiting, 0) - active,
        refused: loads.reduce((sum, load) => sum + load.refused, refused + refusedBefore),
      }
    },
  }
}

/** Stored on `globalThis`, because Next's bundle and the server each have a copy of the reporting modules, and the metrics include both. */
const holder = globalThis as typeof globalThis & { checkoutDeskLoads?: [name: string, load: () => Load][] }

/** Registers a throttle, so that `reportedLoads` returns its load under its name. */
export function reportLoad(name: string, load: () => Load): void {
  holder.checkoutDeskLoads ??= []
  holder.checkoutDeskLoads.push([name, load])
}

/** Returns the load of every throttle in this process by name. Sums the loads of throttles with the same name. */
export function reportedLoads(): Map<string, Load> {
  const loads = new Map<string, Load>()
  for (const [name, load] of holder.checkoutDeskLoads ?? []) {
    const { active, waiting, refused } = load()
    const sum = loads.get(name) ?? { active: 0, waiting: 0, refused: 0 }
    loads.set(name, { active: sum.active + active, waiting: sum.waiting + waiting, refused: sum.refused + refused })
  }
  return loads
}

/**
 * Creates a limit on what callers hold concurrently, such as memory, in total and per address. Rejects callers instead of queuing them.
 *
 * @param name the name under which the number of callers is reported
 * @param state whether it is reported as `active` or as `waiting`
 * @returns a function that reserves an amount, 1 by default, for an address. That function returns undefined if too much is
 *   reserved, and otherwise a function that releases the amount; further calls have no effect
 */
export function createQuota(
  name: string,
  limits: { total: number; perAddress: number },
  state: 'active' | 'waiting' = 'active',
): (address: string, amount?: number) => (() => void) | undefined {
  const sums = new Map<string, number>()
  let total = 0
  // Counted separately, because amounts can be 0.
  let callers = 0
  let refused = 0
  reportLoad(name, () => ({ active: 0, waiting: 0, [state]: callers, refused }))
  const add = (address: string, amount: number) => {
    total += amount
    const sum = (sums.get(address) ?? 0) + amount
    if (sum > 0) sums.set(address, sum)
    else sums.delete(address)
  }
  return (address, amount = 1) => {
    if (total + amount > limits.total || (sums.get(address) ?? 0) + amount > limits.perAddress) {
      refused += 1
      return undefined
    }
    add(address, amount)
    callers += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      add(address, -amount)
      callers -= 1
    }
  }
}

/** How long `withTicketLock` waits, in milliseconds. */
const LOCK_MS = 1_000

/** Each key has one slot. The number of keys is not limited, but `limit` is not Infinity, because the load is computed from it. */
const ticketLocks = createSharedSemaphore({
  name: 'tickets',
  limit: Number.MAX_SAFE_INTEGER,
  waitMs: LOCK_MS,
  // The error message contains this name instead of the key, which might be secret.
  perSeller: { name: 'the lock on the ticket', limit: 1, queue: Number.POSITIVE_INFINITY },
})

reportLoad('tickets', ticketLocks.load)

/**
 * Runs `work` while no other work with the same key runs in this process. To exclude other processes, lock a row.
 *
 * @throws {UnavailableError} if the lock does not become free within `LOCK_MS`, or up to twice as long if the event loop was blocked
 */
export const withTicketLock = <T>(key: string, work: () => Promise<T>): Promise<T> => ticketLocks.run(key, work)
