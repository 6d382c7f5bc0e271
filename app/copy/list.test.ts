/** The text of the tables fits into its place. */
import { expect, it } from 'vitest'
import { listCopy } from './list'

it.each([
  [['email', 'order number'], 'Search email or order'],
  [['name', 'ticket', 'email', 'order number'], 'Search name or ticket'],
])('the placeholder of a search in %j is short', (members, hint) => {
  expect(listCopy.searchHint(members)).toBe(hint)
})
