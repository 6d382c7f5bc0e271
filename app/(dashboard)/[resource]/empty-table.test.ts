/** Tests that an empty table links to the Stripe settings only if Stripe can provide its records and the user may change settings. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { EmptyTable } from './empty-table'

it.each([
  ['payments', 'owner', true],
  ['bookings', 'owner', false],
  ['tickets', 'owner', false],
  ['payments', 'staff', false],
] as const)('an empty table of %s shown to the role %s links to the Stripe settings: %s', (name, role, hasLink) => {
  const html = renderToStaticMarkup(createElement(EmptyTable, { name, plural: name, user: { role, sellerId: 's' } }))
  expect(html.includes('/settings/stripe')).toBe(hasLink)
})
