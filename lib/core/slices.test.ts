/** Long computations yield to the event loop after each slice. */
import { expect, it } from 'vitest'
import { mapInSlices } from './slices'

/** Doubles a number in 5 ms, which is longer than a slice, so that each item is computed in a separate slice. */
function compute(item: number): number {
  const end = performance.now() + 5
  while (performance.now() < end);
  return item * 2
}

const ITEMS = [1, 2, 3, 4, 5]

/** Returns the number of event loop iterations while `work` runs, and the maximum number of items computed in one of them. */
async function countIterations(
  work: (compute: (item: number) => number) => Promise<unknown>,
): Promise<{ iterations: number; max: number }> {
  let iterations = 0
  let items = 0
  let max = 0
  let isOver = false
  const iterate = () => {
    iterations += 1
    items = 0
    if (!isOver) setImmediate(iterate)
  }
  setImmediate(iterate)
  await work((item) => {
    items += 1
    max = Math.max(max, items)
    return compute(item)
  })
  isOver = true
  return { iterations, max }
}

it('returns the results in order', async () => {
  expect(await mapInSlices(ITEMS, compute)).toEqual([2, 4, 6, 8, 10])
  expect(await mapInSlices([], compute)).toEqual([])
})

it('yields to the event loop after each slice', async () => {
  const { iterations, max } = await countIterations((map) => mapInSlices(ITEMS, map))
  expect(max).toBe(1)
  expect(iterations).toBeGreaterThanOrEqual(ITEMS.length)
})

it('runs one slice per iteration of the event loop, regardless of the number of computations', async () => {
  const { iterations, max } = await countIterations((map) => Promise.all(Array.from({ length: 10 }, () => mapInSlices(ITEMS, map))))
  expect(max).toBe(1)
  expect(iterations).toBeGreaterThanOrEqual(10 * ITEMS.length)
})

it('continues other computations after one of them fails', async () => {
  const failing = mapInSlices(ITEMS, () => {
    throw new Error('bad item')
  })
  const other = mapInSlices(ITEMS, compute)
  await expect(failing).rejects.toThrow('bad item')
  expect(await other).toEqual([2, 4, 6, 8, 10])
})
