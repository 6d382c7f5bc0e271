/** A list can contain values with commas and backslashes. */
import { expect, it } from 'vitest'
import { joinValues, splitValues } from './value-list'

it.each([
  [['paid', 'failed'], 'paid,failed'],
  [['VIP, front'], 'VIP\\, front'],
  [['a\\', ',b', '\\,'], 'a\\\\,\\,b,\\\\\\,'],
  [['a\\b'], 'a\\\\b'],
  [['', ''], ','],
])('joins %j as %s, and splits it again', (values, text) => {
  expect(joinValues(values)).toBe(text)
  expect(splitValues(text)).toEqual(values)
})

it('keeps a backslash that escapes nothing', () => expect(splitValues('a\\b,c\\')).toEqual(['a\\b', 'c\\']))
