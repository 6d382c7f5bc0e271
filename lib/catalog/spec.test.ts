/** The catalog has exactly the members in the spec's tables. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resources } from '.'
import { ticketRecord } from './ticket'

const spec = readFileSync('docs/spec.md', 'utf8')

/** Returns the field names in the first table after a heading or label. */
function readMembers(heading: string): string[] {
  const start = spec.indexOf(heading)
  if (start === -1) throw new Error(`The spec has no heading “${heading}”.`)
  const names: string[] = []
  let inTable = false
  for (const line of spec.slice(start + heading.length).split('\n')) {
    const cell = /^\| (\w+) \|/.exec(line)?.[1]
    if (cell && cell !== 'Field') names.push(cell)
    if (line.startsWith('|')) inTable = true
    else if (inTable) break
  }
  return names
}

type JsonSchema = { properties?: Record<string, JsonSchema>; items?: JsonSchema; additionalProperties?: unknown }
// An empty metadata registry makes zod inline named schemas instead of referencing them.
const toJsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'output', metadata: z.registry() }) as JsonSchema
const listNames = (schema: JsonSchema | undefined) => Object.keys(schema?.properties ?? {}).sort()

const payment = toJsonSchema(resources.payments.record).properties ?? {}
const booking = toJsonSchema(resources.bookings.record).properties ?? {}
const subscription = toJsonSchema(resources.subscriptions.record).properties ?? {}
const coupon = toJsonSchema(resources.coupons.record).properties ?? {}
const ticket = toJsonSchema(ticketRecord).properties ?? {}

const FEE = ['name', 'amount', 'percentage']
const paymentMembers = readMembers('### Payment\n')
const common = paymentMembers.slice(0, paymentMembers.indexOf('updatedAt') + 1)

/** Each case is a name, the members in the spec, and the schema that must have exactly these members. */
const cases: [string, string[], JsonSchema | undefined][] = [
  ['Subscription', readMembers('### Subscription\n'), { properties: subscription }],
  ['Coupon', readMembers('### Coupon\n'), { properties: coupon }],
  ['Payment', paymentMembers, { properties: payment }],
  ['Booking', [...common, 'tickets'], { properties: booking }],
  ['Ticket', readMembers('### Ticket\n'), { properties: ticket }],
  ['Check-in', readMembers('**Check-in**'), ticket.checkIns?.items],
  ['latestCheckIn', readMembers('**Check-in**'), ticket.latestCheckIn],
  ['Ticket metadata entry', readMembers('**Ticket metadata entry**'), ticket.metadata?.items],
  ['Booking ticket line', readMembers('**Booking ticket line'), booking.tickets?.items],
  ['Tax breakdown entry', readMembers('**Tax breakdown entry**'), payment.taxBreakdown?.items],
  ['taxRateDetails', ['country', 'percentageDecimal', 'state', 'taxType'], payment.taxBreakdown?.items?.properties?.taxRateDetails],
  ['Applied coupon', readMembers('**Applied coupon'), payment.coupon],
  ['Payment option', readMembers('**Payment option'), payment.paymentOption],
  ['Payment variant', readMembers('**Payment variant'), payment.variants?.items],
  ['Payment selected option', readMembers('**Payment selected option**'), payment.variants?.items?.properties?.selectedOptions?.items],
  ['Subscription variant', readMembers('**Subscription variant'), subscription.variants?.items],
  [
    'Subscription selected option',
    readMembers('**Subscription selected option**'),
    subscription.variants?.items?.properties?.selectedOptions?.items,
  ],
  ['fees of a subscription', [...FEE, 'gatewayProductId'], subscription.fees?.items],
  ['setupFeeFees of a subscription', [...FEE, 'gatewayInvoiceItemId'], subscription.setupFeeFees?.items],
  ['fees of a subscription variant', [...FEE, 'gatewayInvoiceItemId'], subscription.variants?.items?.properties?.fees?.items],
  [
    'fees of a subscription option',
    [...FEE, 'gatewayInvoiceItemId'],
    subscription.variants?.items?.properties?.selectedOptions?.items?.properties?.fees?.items,
  ],
]
for (const [name, record] of [
  ['payment', payment],
  ['booking', booking],
  ['subscription', subscription],
] as const) {
  const fields = readMembers('**Custom field entry')
  cases.push(
    [`billing of a ${name}`, readMembers('**Billing**'), record.billing],
    [`address of a ${name}`, readMembers('**Address**'), record.billing?.properties?.address],
    [`shipping of a ${name}`, readMembers('**Shipping**'), record.shipping],
    [`paymentMethod of a ${name}`, readMembers('**Payment method'), record.paymentMethod],
    [`fields of a ${name}`, name === 'subscription' ? fields.filter((field) => field !== 'meta') : fields, record.fields?.items],
  )
}
for (const [name, record] of [
  ['payment', payment],
  ['booking', booking],
] as const) {
  cases.push(
    [`fees of a ${name}`, readMembers('**Fee (in payments'), record.fees?.items],
    [`discount of a ${name}`, readMembers('**Discount'), record.discount],
  )
}

describe('the catalog', () => {
  it.each(cases)('has exactly the spec’s members: %s', (_, expected, schema) => {
    expect(expected.length).toBeGreaterThan(2)
    expect(listNames(schema)).toEqual([...expected].sort())
  })

  it('has exactly the spec’s eleven statuses of payments and bookings', () => {
    const states = readMembers('## States and transitions')
    const listed = spec
      .slice(spec.indexOf('| State |'))
      .split('\n')
      .slice(2, 13)
      .map((line) => line.replace(/[| ]/g, ''))
    expect(states).toContain('created')
    expect(listed).toHaveLength(11)
    expect([...resources.payments.filters.status]).toEqual(listed)
    expect([...resources.bookings.filters.status]).toEqual(listed)
  })

  it('searches coupons, payments and bookings by the spec’s members, and subscriptions by email address, order ID and billing name', () => {
    const searched = Object.fromEntries(Object.values(resources).map(({ name, search }) => [name, Object.keys(search).sort()]))
    expect(searched).toMatchObject({
      coupons: ['code', 'label'],
      payments: ['customerEmail', 'orderId'],
      bookings: ['customerEmail', 'orderId'],
      subscriptions: ['billing.name', 'customerEmail', 'orderId'],
    })
  })
})
