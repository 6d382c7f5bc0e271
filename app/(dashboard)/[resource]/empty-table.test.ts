/** Tests that an empty table links to the Stripe settings only if Stripe can provide its records and the user may change settings. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { TableName } from '@/lib/accounts/preferences'
import type { Role } from '@/lib/accounts/roles'
import { EmptyTable } from './empty-table'

const render = (name: TableName, role: Role) =>
  renderToStaticMarkup(createElement(EmptyTable, { name, plural: name, user: { role, sellerId: 's' } }))

it('an empty payments table links owners to the Stripe settings', () => {
  expect(render('payments', 'owner')).toContain('/settings/stripe')
})

it.each([
  ['bookings', 'owner'],
  ['tickets', 'owner'],
  ['payments', 'staff'],
] as const)('an empty %s table has no link to the Stripe settings for the role %s', (name, role) => {
  expect(render(name, role)).not.toContain('/settings/stripe')
})
