/** Tests which fields of a form count as changed, by the user or by someone else. */
import { expect, it } from 'vitest'
import { describeChanges, isChanged, readOriginal, readTimeZone } from './form-state'

const fields = (values: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) form.set(name, value)
  return form
}

it.each([
  [false, 'Unit 4Quay Street 14', 'Unit 4\r\nQuay Street 14'],
  [false, 'Unit 4Quay Street 14', 'Unit 4\nQuay Street 14'],
  [true, 'Unit 5', 'Unit 4'],
  [false, '', ''],
])('isChanged returns %s for a field with the value %j and the original value %j', (changed, value, original) => {
  expect(isChanged(fields({ line1: value, 'original.line1': original }), 'line1')).toBe(changed)
})

it.each([
  ['Ada', 'Ada', 'Ada', undefined],
  ['Ada', 'Ada', 'Zoë', 'Someone else has changed this to “Zoë”.'],
  ['Ada', 'Ada', undefined, 'Someone else has cleared this.'],
  ['Grace', 'Ada', 'Zoë', 'Someone else has changed this to “Zoë”. If you save, your text replaces it.'],
  ['Zoë', 'Ada', 'Zoë', undefined],
  ['Grace', 'Ada', 'Ada', undefined],
  ['', '', undefined, undefined],
])('the notice for a field with the value %j, the original value %j and the stored value %j is %j', (value, original, now, notice) => {
  expect(describeChanges(fields({ name: value, 'original.name': original }), { name: now })).toEqual(notice ? { name: notice } : {})
})

it('converts the line breaks of an original value from CRLF to LF', () => {
  expect(readOriginal(fields({ 'original.line1': 'Unit 4\r\nQuay Street 14' }), 'line1')).toBe('Unit 4\nQuay Street 14')
})

it('reads the form’s original time zone, falling back to the shop’s if it is missing or invalid', () => {
  expect(readTimeZone(fields({ timeZone: 'Asia/Tokyo' }), 'UTC')).toBe('Asia/Tokyo')
  for (const form of [fields({}), fields({ timeZone: 'IST' })]) expect(readTimeZone(form, 'UTC')).toBe('UTC')
})
