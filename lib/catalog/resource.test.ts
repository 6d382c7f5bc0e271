/** Names are derived from a resource's label, and each resource has one title column on phones. */
import { expect, it } from 'vitest'
import { resources } from '.'
import { eventPrefix, type Resource, schemaName } from './resource'

it('derives the schema name and the event prefix from a label of several words', () => {
  const type = { label: { one: 'Gift Card', many: 'Gift Cards' } }
  expect([schemaName(type), eventPrefix(type)]).toEqual(['GiftCard', 'gift_card'])
})

it.each(Object.values(resources) as Resource[])('$name have exactly one title column on phones', ({ columns }) => {
  expect(columns.filter(({ phone }) => phone === 'title')).toHaveLength(1)
})
