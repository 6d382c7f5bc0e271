/** Adapts the driver, postgres.js: its types, its queues of connections, and its one known bug. */
import { makePgArray, parsePgArray } from 'drizzle-orm/pg-core'

/**
 * Declares `text[]`, the only array type in use. Because of `fetch_types: false`, the driver does not query the array types, and would
 * otherwise send arrays in a format that PostgreSQL rejects.
 */
const TEXT_ARRAY = {
  to: 1009,
  from: [1009],
  serialize: (value: string | string[]) => (typeof value === 'string' ? value : makePgArray(value)),
  parse: parsePgArray,
}

/**
 * Returns a type whose values are passed through unchanged. Drizzle configures dates and JSON in the same way when a pool's query builder
 * is first used. Without this, results would depend on whether that has happened.
 */
const passThrough = (to: number, from: number[]) => ({ to, from, serialize: (value: unknown) => value, parse: (value: unknown) => value })

/**
 * The driver's `types` option. `to` is the OID of the type that values are sent as, and `from` lists the OIDs of the types that are read.
 */
export const DRIVER_TYPES = {
  textArray: TEXT_ARRAY,
  date: passThrough(1184, [1082, 1083, 1114, 1184]),
  json: passThrough(114, []),
  jsonb: passThrough(3802, []),
}

/** One of the driver's queues (`src/queue.js`). */
type Queue = { length: number; push(item: unknown): unknown; shift(): unknown; remove(item: unknown): unknown }

const patched = new WeakSet<object>()

/** Replaces the queue's methods. The queue keeps its contents. */
function patch(queue: Queue): void {
  if (patched.has(queue)) return
  patched.add(queue)
  const items: unknown[] = []
  while (queue.length > 0) items.push(queue.shift())
  Object.defineProperty(queue, 'length', { get: () => items.length })
  queue.push = (item) => {
    items.push(item)
    return item
  }
  queue.shift = () => items.shift()
  queue.remove = (item) => {
    const index = items.indexOf(item)
    return index === -1 ? null : items.splice(index, 1)[0]
  }
}

/**
 * Patches the queue that contains a connection, and each queue that the driver moves the connection to. The driver's own `shift` leaves an
 * empty element behind unless it takes the last item. Without the patch, while a pool has an idle connection, its queues would grow with
 * each statement and each attempt to connect, and each statement would search all of the empty elements.
 *
 * @returns true, so that this function can be the option `onexecute` of a query
 */
export function patchQueues(connection: { queue: Queue }): true {
  if (patched.has(connection)) return true
  patched.add(connection)
  let { queue } = connection
  patch(queue)
  Object.defineProperty(connection, 'queue', {
    get: () => queue,
    set: (next: Queue) => {
      patch(next)
      queue = next
    },
  })
  return true
}

/**
 * Returns whether an error is the TypeError that postgres.js 3.4.9 throws from a timer if a connection ends with data left to write
 * (porsager/postgres #1154, #1208). The error belongs to no query, and the pool that it came from no longer responds.
 */
export function isDriverFault(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false
  const [frame = ''] = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return /^\s+at (\S+\.)?nextWrite \(.*[\\/]node_modules[\\/]postgres[\\/](src|cjs[\\/]src)[\\/]connection\.js:\d+:\d+\)$/.test(frame)
}
