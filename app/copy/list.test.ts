/** The text of the tables fits into its place. */
import { expect, it } from 'vitest'
import { listCopy } from './list'

it.each([
  [['email', 'order number'], 'Search email or order'],
  [['name', 'email', 'order number', 'ticket'], 'Search name or email'],
])('the placeholder of a search in %j is short', (members, hint) => {
  expect(listCopy.searchHint(members)).toBe(hint)
})
