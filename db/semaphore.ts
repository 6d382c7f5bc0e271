/** A limit on how much runs at once, with a bounded queue and a bounded wait; the driver's own queue has neither. */
import { UnavailableError } from './unavailable'

export type Load = { active: number; waiting: number }

export type Semaphore = {
  /** Waits for a place. @returns releases it; a second call does nothing. @throws {UnavailableError} `queue_full` or `pool_exhausted` */
  acquire(): Promise<() => void>
  load(): Load
}

export type SemaphoreOptions = {
  /** Named in the error, such as `the pool "doors"`. */
  name: string
  /** How many may hold a place at once. */
  limit: number
  /** How long `acquire` waits, in milliseconds. */
  waitMs: number
  /** How many may wait; more are refused at once. */
  queue?: number
}

export function createSemaphore({ name, limit, waitMs, queue = Number.POSITIVE_INFINITY }: SemaphoreOptions): Semaphore {
  let free = limit
  const waiting = new Set<() => void>()

  const release = () => {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  const once = () => {
    let isHeld = true
    return () => {
      if (isHeld) release()
      isHeld = false
    }
  }

  const refuse = (code: string, message: string) => new UnavailableError(message, { code })

  return {
    load: () => ({ active: limit - free, waiting: waiting.size }),
    acquire() {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once())
      }
      if (waiting.size >= queue) return Promise.reject(refuse('queue_full', `${queue} already wait for ${name}.`))
      return new Promise((resolve, reject) => {
        const admit = () => {
          clearTimeout(timer)
          waiting.delete(admit)
          resolve(once())
        }
        const timer = setTimeout(() => {
          waiting.delete(admit)
          reject(refuse('pool_exhausted', `All ${limit} places of ${name} stayed in use for ${waitMs} ms.`))
        }, waitMs)
        waiting.add(admit)
      })
    },
  }
}
