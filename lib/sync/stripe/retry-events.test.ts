/** Failed events are grouped by seller before they are retried. */
import { expect, it } from 'vitest'
import { groupIds } from './retry-events'

it('groups 30,000 events by seller in less than a second', () => {
  const events = Array.from({ length: 30_000 }, (_, number) => ({ sellerId: number % 1_000 === 0 ? 'b' : 'a', id: `evt_${number}` }))
  const start = performance.now()
  const groups = groupIds(events)
  expect(performance.now() - start).toBeLessThan(1_000)
  expect([groups.size, groups.get('a')?.length, groups.get('b')?.slice(0, 2)]).toEqual([2, 29_970, ['evt_0', 'evt_1000']])
})
