/** The notice for an event that is full or almost full. */
import { expect, it } from 'vitest'
import { capacityNotice } from './top-bar'

it.each([
  [null, 500, undefined],
  [200, 179, undefined],
  [200, 180, 'Almost full: 180 of 200 places'],
  [200, 199, 'Almost full: 199 of 200 places'],
  [200, 200, 'Full: 200 of 200 places'],
  [200, 203, 'Full: 203 of 200 places'],
])('with %j places and %i people inside, returns the notice %j', (capacity, inside, notice) => {
  expect(capacityNotice(inside, capacity)?.text).toBe(notice)
})
