/** Tests that search placeholders name at most two members, so that they fit into the search field. */
import { expect, it } from 'vitest'
import { listCopy } from './list'

it.each([
  [['email', 'order number'], 'Search email or order'],
  [['name', 'ticket', 'email', 'order number'], 'Search name or ticket'],
])('shortens the search placeholder for %j', (members, placeholder) => {
  expect(listCopy.searchHint(members)).toBe(placeholder)
})
