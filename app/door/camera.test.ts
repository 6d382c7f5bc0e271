/** Which of the codes in view the camera reports. */
import { expect, it } from 'vitest'
import { createCodeFilter } from './camera'

/** Soon after the page was opened, in milliseconds. */
const START = 100

const find = (...codes: string[]) => codes.map((rawValue) => ({ rawValue }))

it('reports a code once while it is in view, and again after it has been out of view for 3 seconds', () => {
  const choose = createCodeFilter()
  expect(choose(find('A', 'B'), START)).toEqual(['A', 'B'])
  expect(choose(find('A'), START + 3_000)).toEqual([])
  expect(choose(find('A', 'B'), START + 3_001)).toEqual(['B'])
})

it('skips codes without content', () => {
  expect(createCodeFilter()(find('', 'A'), START)).toEqual(['A'])
})
