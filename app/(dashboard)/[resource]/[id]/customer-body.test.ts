/** Tests that the customer form submits only what the user has changed. */
import { expect, it } from 'vitest'
import { updateCustomerBody } from '@/lib/catalog/customer-operations'
import { buildCustomerBody } from './customer-body'

/** An imported customer with values that the form would reject. */
const STORED = { email: '', name: 'x'.repeat(501), phone: '1', line1: 'Quay Street 12', city: 'Rotterdam' }

it.each([
  ['has changed nothing', {}, {}],
  ['has changed the phone number', { phone: '2' }, { phone: '2' }],
  ['has cleared the phone number', { phone: ' ' }, { phone: null }],
  ['has changed the email address', { email: 'ada@example.com' }, { email: 'ada@example.com' }],
  ['has changed the city', { city: 'Delft' }, { address: { line1: 'Quay Street 12', city: 'Delft' } }],
  ['has cleared the address', { line1: '', city: '' }, { address: null }],
])('submits only what has changed if the user %s', (_, changes, body) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(STORED)) form.set(`original.${name}`, value)
  for (const [name, value] of Object.entries({ ...STORED, ...changes })) form.set(name, value)
  expect(buildCustomerBody(form)).toEqual(body)
  expect(updateCustomerBody.safeParse(buildCustomerBody(form)).error).toBeUndefined()
})

it('keeps line breaks in values that the user has not changed, although the fields remove them', () => {
  const form = new FormData()
  const stored = { companyName: 'Acme\r\nHoldings', line1: 'Unit 4\r\nQuay Street 14', city: 'Rotterdam' }
  for (const [name, value] of Object.entries(stored)) {
    form.set(`original.${name}`, value)
    form.set(name, value.replace('\r\n', ''))
  }
  expect(buildCustomerBody(form)).toEqual({})
  form.set('city', 'Delft')
  expect(buildCustomerBody(form)).toEqual({ address: { line1: 'Unit 4\nQuay Street 14', city: 'Delft' } })
})
