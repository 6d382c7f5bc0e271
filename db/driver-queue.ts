/** Mends the lists in which the driver keeps its connections, by state. */

/** A list of the driver (`src/queue.js`). */
type Queue = { length: number; push(item: unknown): unknown; shift(): unknown; remove(item: unknown): unknown }

const mended = new WeakSet<object>()

/** Replaces the list's functions. The list keeps its contents. */
function mend(queue: Queue): void {
  if (mended.has(queue)) return
  mended.add(queue)
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
 * Replaces the list that contains a connection, and each list to which the driver moves it. The driver's own `shift` leaves an empty element
 * behind unless it takes the last item. The lists of a pool with a spare connection would grow with each statement and each attempt to
 * connect, and each statement would search all of them.
 *
 * @returns true, so that it can be the option `onexecute` of a query
 */
export function mendQueues(connection: { queue: Queue }): true {
  if (mended.has(connection)) return true
  mended.add(connection)
  let { queue } = connection
  mend(queue)
  Object.defineProperty(connection, 'queue', {
    get: () => queue,
    set: (next: Queue) => {
      mend(next)
      queue = next
    },
  })
  return true
}
