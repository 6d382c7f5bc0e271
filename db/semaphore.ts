/** A bounded wait for one of a number of places; the driver's own queue has neither limit nor time-out. */
import { Unavailable } from './unavailable'

export type Semaphore = {
  acquire(): Promise<() => void>
  /** How many are inside now, and how many wait. */
  load(): { inside: number; waiting: number }
}

/**
 * @param places how many may be inside at once
 * @param waitMs how long `acquire` waits before it throws `Unavailable`, in milliseconds
 * @param queue how many may wait; one more is refused at once
 */
export function createSemaphore(places: number, waitMs: number, queue = Number.POSITIVE_INFINITY): Semaphore {
  let free = places
  const waiting = new Set<() => void>()

  const release = () => {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  const once = () => {
    let inside = true
    return () => {
      if (inside) release()
      inside = false
    }
  }

  return {
    load: () => ({ inside: places - free, waiting: waiting.size }),
    acquire() {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once())
      }
      if (waiting.size >= queue) return Promise.reject(new Unavailable('Too many wait for a connection to the database already.'))
      return new Promise((resolve, reject) => {
        const admit = () => {
          clearTimeout(timer)
          waiting.delete(admit)
          resolve(once())
        }
        const timer = setTimeout(() => {
          waiting.delete(admit)
          reject(new Unavailable('Every connection to the database is in use.'))
        }, waitMs)
        waiting.add(admit)
      })
    },
  }
}
