/** Tests that an export's rows are counted correctly, wherever the network splits the file. */
import { expect, it } from 'vitest'
import { createRowCounter } from './row-counter'

it('counts the rows after the header, but not line breaks in quoted values', () => {
  const bytes = new TextEncoder().encode('id,note\r\n1,plain\r\n2,"two\r\nlines and ""quotes"""\r\n3,"a, b"\r\n')
  for (let size = 1; size <= bytes.length; size += 1) {
    const count = createRowCounter()
    let rows = 0
    for (let start = 0; start < bytes.length; start += size) rows = count(bytes.subarray(start, start + size))
    expect(rows).toBe(3)
  }
})

it('returns 0 before the header has arrived', () => {
  expect(createRowCounter()(new TextEncoder().encode('id,no'))).toBe(0)
})
