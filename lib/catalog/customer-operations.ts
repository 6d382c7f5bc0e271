/** Defines the operations that update and erase customers, and the schema of the update's body. */
import { z } from 'zod'
import { customers } from './customers'
import { address, boundedText, shipping } from './shapes'
import { defineWrite } from './write-operation'

/** The maximum length of most members, in characters. */
const MAX_LENGTH = 500
/** The time of the change in the examples. */
const CHANGED_AT = '2026-11-22T09:00:00.000Z'
const { shape } = customers.record
const getDescription = (name: keyof typeof shape) => (shape[name].description ?? '').replace(' Searchable.', '')

const emailAddress = boundedText(3, MAX_LENGTH).regex(/^\S+@\S+$/, 'must be an email address such as ada@example.com')
/** Returns the schema of a member that can be removed by setting it to `null`. */
const makeRemovable = (name: keyof typeof shape, schema: z.ZodType<string> = boundedText(1, MAX_LENGTH)) =>
  schema
    .nullable()
    .optional()
    .describe(`${getDescription(name)} \`null\` removes it.`)

// The bodies have separate schemas, because requests with unknown members are rejected, but responses can gain members.
const addressBody = z
  .strictObject(address.shape)
  .meta({ id: 'AddressBody', description: 'A postal address. It replaces the existing address as a whole.' })
const shippingBody = z
  .strictObject({ ...shipping.shape, address: addressBody.optional().describe('Shipping address.') })
  .meta({ id: 'ShippingBody', description: 'Shipping details. They replace the existing shipping details as a whole.' })

export const updateCustomerBody = z
  .strictObject({
    email: emailAddress.optional().describe(getDescription('email')),
    name: makeRemovable('name'),
    companyName: makeRemovable('companyName'),
    phone: makeRemovable('phone'),
    billingEmail: makeRemovable('billingEmail', emailAddress),
    taxId: makeRemovable('taxId'),
    taxIdType: makeRemovable('taxIdType'),
    gatewayCustomerId: makeRemovable('gatewayCustomerId', boundedText(1, 255)),
    address: addressBody.nullable().optional().describe('Billing address. Replaced as a whole; `null` removes it.'),
    shipping: shippingBody.nullable().optional().describe('Shipping details. Replaced as a whole; `null` removes them.'),
  })
  .meta({ id: 'UpdateCustomerBody', description: 'The members of a customer to change. `null` removes an optional member.' })

export const updateCustomer = defineWrite({
  id: 'updateCustomer',
  method: 'PATCH',
  path: '/v1/customers/{id}',
  record: customers,
  summary: 'Update a customer',
  description:
    'Changes the members that you send, and leaves all others unchanged. `address` and `shipping` are replaced as a whole. Past orders keep their original details.',
  scope: 'customers:write',
  body: updateCustomerBody,
  example: { name: 'Zoë Haddad-Vos', address: { line1: 'Quay Street 14', city: 'Rotterdam', country: 'NL' }, phone: null },
  response: { updatedAt: CHANGED_AT },
  status: 200,
  errors: { body_invalid: { message: 'email must be an email address such as ada@example.com.', param: 'email' } },
})

/**
 * The time limit of an erasure and of each of its statements, in milliseconds. An erasure reads all of the seller's orders, events and
 * Stripe payloads.
 */
export const ERASURE_MS = 120_000

export const eraseCustomer = defineWrite({
  id: 'eraseCustomer',
  method: 'POST',
  path: '/v1/customers/{id}/erase',
  record: customers,
  summary: 'Erase a customer',
  description: `Erases a customer’s personal data. This cannot be undone. Names, email addresses, phone numbers, addresses, tax IDs, custom fields and query parameters are replaced or
removed in the customer record, in other customer records with the same email address, and in all of their orders and tickets. The same data
is replaced in notes, events, Stripe payloads, webhook responses, responses stored for idempotency and the audit log. Saved views that search
for the customer are deleted. Amounts, dates and IDs are kept.

Imports and Stripe events about orders created before the erasure do not restore the data. New orders by the same person are stored as usual, and you can erase the customer again.`,
  scope: 'customers:write',
  response: {
    email: `erased-${customers.example.id}@erased.invalid`,
    name: 'Erased',
    ...Object.fromEntries(['phone', 'taxId', 'taxIdType', 'address'].map((name) => [name, null])),
    updatedAt: CHANGED_AT,
  },
  status: 200,
  maxMs: ERASURE_MS,
})
