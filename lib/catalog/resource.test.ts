import { expect, it } from 'vitest'
import { resources } from '.'
import { eventPrefix, type Resource, schemaName } from './resource'

it('names the schema and the events of a record with several words in its label', () => {
  const type = { label: { one: 'Gift Card', many: 'Gift Cards' } }
  expect([schemaName(type), eventPrefix(type)]).toEqual(['GiftCard', 'gift_card'])
})

it.each(Object.values(resources) as Resource[])(
  '$name have a title on phones, where columns without a position are hidden',
  ({ columns }) => {
    expect(columns.filter(({ phone }) => phone === 'title')).toHaveLength(1)
  },
)
