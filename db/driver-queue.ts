/** Patches the driver's queues of connections, one per state. */

/** A queue of the driver (`src/queue.js`). */
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
