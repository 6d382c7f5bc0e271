import { expect, it } from 'vitest'
import { eventPrefix, schemaName } from './resource'

it('names the schema and the events of a record with several words in its label', () => {
  const type = { label: { one: 'Gift Card', many: 'Gift Cards' } }
  expect([schemaName(type), eventPrefix(type)]).toEqual(['GiftCard', 'gift_card'])
})
