/** Tests that search placeholders are short enough for the search field. */
import { expect, it } from 'vitest'
import { listCopy } from './list'

it.each([
  [['email', 'order number'], 'Search email or order'],
  [['name', 'ticket', 'email', 'order number'], 'Search name or ticket'],
])('shortens the search placeholder for %j', (members, hint) => {
  expect(listCopy.searchHint(members)).toBe(hint)
})
