/** Splits long computations into slices, so that the event loop can handle other requests in between. */

/** The maximum duration of a slice, in milliseconds. A check-in waits for at most one slice each time it needs the event loop. */
const SLICE_MS = 4

/** Waiting computations. Each iteration of the event loop runs one slice, regardless of the number of computations. */
const waiting: (() => void)[] = []

function runNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runNext)
}

/** Resolves in the first iteration of the event loop that runs no other computation's slice. */
function waitForSlice(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(runNext)
  })
}

/**
 * Maps items in slices of a few milliseconds.
 *
 * @param map a synchronous function that takes well under a millisecond per item, because a slice ends only between items
 * @returns the results in order
 */
export async function mapInSlices<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = []
  let end = 0
  for (const item of items) {
    if (performance.now() >= end) {
      await waitForSlice()
      end = performance.now() + SLICE_MS
    }
    results.push(map(item))
  }
  return results
}
