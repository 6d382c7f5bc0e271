/** Splits long computations into slices, so that the event loop answers other requests in between. */

/** How long a slice may take, in milliseconds: a check-in waits for at most one slice each time it needs the event loop. */
const SLICE_MS = 4

/** Callers that wait for their turn. Each turn of the event loop runs one slice, however many computations there are. */
const waiting: (() => void)[] = []

function runNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runNext)
}

/** Resolves on the next turn of the event loop that no other computation has taken. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(runNext)
  })
}

/**
 * Maps items in slices of a few milliseconds.
 *
 * @param map runs without interruption, so it must be short
 * @returns the results in order
 */
export async function mapInSlices<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = []
  let end = 0
  for (const item of items) {
    if (performance.now() >= end) {
      await nextTurn()
      end = performance.now() + SLICE_MS
    }
    results.push(map(item))
  }
  return results
}
