/** Records when API keys and devices were last used. */
import type { SQL } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { database } from '@/db/client'

/** The minimum time between two recorded uses of the same key or device, in milliseconds. */
const TOUCH_MS = 60_000
const touched = new LRUCache<string, true>({ max: 20_000, ttl: TOUCH_MS })

/**
 * Runs the statement that records the use of a key or device, at most once a minute. Returns immediately; the write continues in the
 * background.
 *
 * @param id the ID of the key or device
 * @param onError called if the write fails, possibly after the response was sent
 */
export function touch(id: string, toStatement: () => SQL, onError: (error: unknown) => void): void {
  if (touched.has(id)) return
  touched.set(id, true)
  database().query(toStatement()).catch(onError)
}
