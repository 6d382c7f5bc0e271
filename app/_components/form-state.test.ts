/** A form counts a field as changed only if the user has changed it. */
import { expect, it } from 'vitest'
import { isChanged, readOriginal, readTimeZone } from './form-state'

const fields = (values: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) form.set(name, value)
  return form
}

it.each([
  ['Unit 4Quay Street 14', 'Unit 4\r\nQuay Street 14', false],
  ['Unit 4Quay Street 14', 'Unit 4\nQuay Street 14', false],
  ['Unit 5', 'Unit 4', true],
  ['', '', false],
])('the field %j, opened with %j, has changed: %s', (value, original, changed) => {
  expect(isChanged(fields({ line1: value, 'original.line1': original }), 'line1')).toBe(changed)
})

it('reads an original value with the line breaks that are stored', () => {
  expect(readOriginal(fields({ 'original.line1': 'Unit 4\r\nQuay Street 14' }), 'line1')).toBe('Unit 4\nQuay Street 14')
})

it('reads the time zone that the form was opened with', () => {
  expect(readTimeZone(fields({ timeZone: 'Asia/Tokyo' }), 'UTC')).toBe('Asia/Tokyo')
  for (const form of [fields({}), fields({ timeZone: 'IST' })]) expect(readTimeZone(form, 'UTC')).toBe('UTC')
})
