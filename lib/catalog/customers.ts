/** Customers: the people and companies that place orders. */
import { z } from 'zod'
import { customers as table } from '@/db/schema'
import { EXAMPLE } from './order'
import { defineResource } from './resource'
import { address, identity, shipping, text } from './shapes'

export const customers = defineResource({
  name: 'customers',
  label: { one: 'Customer', many: 'Customers' },
  description: 'A customer is a person or a company that places orders. Orders refer to it with `customerId`.',
  table,
  record: z.strictObject({
    id: identity.id,
    email: text.describe('Email address of the customer. Searchable.'),
    name: text.optional().describe('Full name of the customer. Searchable.'),
    companyName: text.optional().describe('Name of the customer’s company. Searchable.'),
    phone: text.optional().describe('Phone number of the customer.'),
    billingEmail: text.optional().describe('Email address that invoices are sent to, if different from `email`.'),
    taxId: text.optional().describe('Tax ID of the customer (for example, a VAT number).'),
    taxIdType: text.optional().describe('Type of the tax ID (for example, `eu_vat`).'),
    gatewayCustomerId: text.optional().describe('ID of the customer at the payment gateway.'),
    address: address.optional().describe('Billing address.'),
    shipping: shipping.optional().describe('Shipping details of the customer.'),
    sellerId: identity.sellerId,
    createdAt: identity.createdAt,
    updatedAt: identity.updatedAt,
  }),
  secrets: [],
  search: { email: 'email', name: 'name', companyName: 'company' },
  gatewayId: 'gatewayCustomerId',
  filters: {},
  columns: [
    { key: 'email', label: 'Email', kind: 'email', phone: 'title' },
    { key: 'name', label: 'Name', kind: 'text', sort: 'customer', phone: 'note' },
    { key: 'companyName', label: 'Company', kind: 'text' },
    { key: 'phone', label: 'Phone', kind: 'text' },
    { key: 'createdAt', label: 'Created', kind: 'date', sort: 'createdAt', phone: 'mark' },
    { key: 'address.city', label: 'City', kind: 'text', hidden: true },
    { key: 'address.country', label: 'Country', kind: 'text', hidden: true },
    { key: 'taxId', label: 'Tax ID', kind: 'code', hidden: true },
    { key: 'updatedAt', label: 'Updated', kind: 'date', hidden: true },
  ],
  example: {
    id: EXAMPLE.customer.customerId,
    email: EXAMPLE.customer.customerEmail,
    name: EXAMPLE.customer.billing.name,
    phone: '+31612345678',
    taxId: 'NL123456789B01',
    taxIdType: 'eu_vat',
    gatewayCustomerId: 'cus_1Q',
    address: EXAMPLE.customer.billing.address,
    sellerId: EXAMPLE.seller.sellerId,
    createdAt: '2026-01-15T10:32:01.000Z',
    updatedAt: '2026-11-20T18:10:04.000Z',
  },
})
