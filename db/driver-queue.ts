/** Mends the lists in which the driver keeps its connections, by state. */

/** A list of the driver (`src/queue.js`). */
type Queue<T> = { length: number; push(item: T): T; shift(): T | undefined; remove(item: T): T | null }

const mended = new WeakSet<object>()

/**
 * Replaces the list that contains a connection, with the same contents. The driver's own `shift` leaves an empty element behind unless it
 * takes the last item, so that the list of a pool with a spare connection grows with each statement, and each statement searches all of it.
 *
 * @returns true, so that it can be the option `onexecute` of a query
 */
export function mendQueue({ queue }: { queue: Queue<unknown> }): true {
  if (mended.has(queue)) return true
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
    return index === -1 ? null : (items.splice(index, 1)[0] ?? null)
  }
  return true
}
