/** The audit log names fields, products and events as the rest of the dashboard does. */
import { expect, it } from 'vitest'
import { formatChanges } from './sentence'

it.each([
  [{ members: { after: ['customerName', 'metadata'] } }, 'Changed: Customer name, Metadata'],
  [{ pageIds: { before: ['a'], after: ['a', 'deleted'] } }, 'Products and events: Late Jazz → Late Jazz, deleted'],
  [{ durationInMonths: { after: '3' } }, 'Duration in months: 3'],
])('describes %j', (changes, line) => {
  const entry = { id: 1, at: '', email: null, key: null, action: 'coupon.changed', subject: 'SPRING', changes }
  expect(formatChanges(entry, { timeZone: 'UTC', pageNames: new Map([['a', 'Late Jazz']]) })).toEqual([line])
})
