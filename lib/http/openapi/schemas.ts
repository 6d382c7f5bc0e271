/** The schemas of the document: made from the very zod objects that check the records and the requests. */
import { z } from 'zod'
import { type ResourceName, resources } from '../../catalog'
import { bookingTicketLine } from '../../catalog/bookings'
import * as order from '../../catalog/order'
import { paymentSelectedOption, paymentVariant } from '../../catalog/payments'
import type { Resource } from '../../catalog/resource'
import * as shapes from '../../catalog/shapes'
import { invoiceFee, productFee, subscriptionSelectedOption, subscriptionVariant } from '../../catalog/subscriptions'
import { checkIn, metadataEntry, ticketRecord } from '../../catalog/ticket'
import { metadataChange, validationAnswer, validationBody } from '../validate-ticket-route'
import { RECORD_EXAMPLES, TICKET_EXAMPLE } from './examples'
import * as others from './members/coupon-and-ticket'
import * as orders from './members/order'
import * as shared from './members/shared'
import * as subscription from './members/subscription'
import type { Schema } from './types'

/** What one record of a list is called in the document. */
export const ONE = {
  subscriptions: 'Subscription',
  coupons: 'Coupon',
  payments: 'Payment',
  bookings: 'Booking',
} as const satisfies Record<ResourceName, string>

type Part = { schema: z.ZodObject; says: string; members: Record<string, string>; enums?: Record<string, Record<string, string>> }

/** Each named schema: where it is declared, what it is, what its members mean. */
const PARTS: Record<string, Part> = {
  Subscription: {
    schema: resources.subscriptions.record,
    says: 'A recurring order.',
    members: subscription.subscription,
    enums: { status: subscription.SUBSCRIPTION_STATUS_MEANINGS },
  },
  Coupon: {
    schema: resources.coupons.record,
    says: 'A discount that a customer enters by its code.',
    members: others.coupon,
    enums: { duration: others.DURATION_MEANINGS },
  },
  Payment: {
    schema: resources.payments.record,
    says: 'A one-time order.',
    members: orders.payment,
    enums: { status: orders.ORDER_STATUS_MEANINGS },
  },
  Booking: {
    schema: resources.bookings.record,
    says: 'An order that contains tickets of an event.',
    members: orders.booking,
    enums: { status: orders.ORDER_STATUS_MEANINGS },
  },
  Ticket: {
    schema: ticketRecord,
    says: 'One seat: a code that lets one guest in.',
    members: others.ticketMembers,
    enums: { status: others.TICKET_STATUS_MEANINGS, checkInStatus: others.CHECK_IN_STATUS_MEANINGS },
  },
  Address: { schema: shapes.address, says: 'A postal address.', members: shared.address },
  Billing: { schema: shapes.billing, says: 'Whom an invoice is for.', members: shared.billing },
  Shipping: { schema: shapes.shipping, says: 'Where goods are sent.', members: shared.shipping },
  Fee: { schema: shapes.fee, says: 'A fee of a payment or a booking.', members: shared.fee },
  CustomField: { schema: shapes.customField, says: 'A question of the page’s form, and its answer.', members: shared.customField },
  PaymentMethod: { schema: shapes.paymentMethod, says: 'What was paid with.', members: shared.paymentMethod },
  Discount: { schema: shapes.discount, says: 'A discount for quantity.', members: shared.discount },
  OrderCustomField: {
    schema: order.orderCustomField,
    says: 'A question of the form of a payment or a booking, and its answer.',
    members: orders.orderCustomField,
  },
  TaxBreakdown: { schema: order.taxBreakdown, says: 'The tax at one rate.', members: orders.taxBreakdown },
  TaxRateDetails: { schema: order.taxRateDetails, says: 'A tax rate.', members: orders.taxRateDetails },
  AppliedCoupon: { schema: order.appliedCoupon, says: 'A coupon as it was when it was used.', members: orders.appliedCoupon },
  PaymentOption: { schema: order.paymentOption, says: 'A way to pay of the seller’s own.', members: orders.paymentOption },
  PaymentVariant: { schema: paymentVariant, says: 'What was to be chosen, and what was.', members: orders.paymentVariantMembers },
  PaymentSelectedOption: { schema: paymentSelectedOption, says: 'An option that was chosen.', members: orders.paymentOptionMembers },
  BookingTicketLine: { schema: bookingTicketLine, says: 'One kind of ticket that was booked.', members: orders.bookingLine },
  ProductFee: { schema: productFee, says: 'A fee of a subscription.', members: subscription.productFeeMembers },
  InvoiceFee: { schema: invoiceFee, says: 'A fee that stands on an invoice.', members: subscription.invoiceFeeMembers },
  SubscriptionVariant: {
    schema: subscriptionVariant,
    says: 'What was to be chosen, and what was.',
    members: subscription.subscriptionVariantMembers,
  },
  SubscriptionSelectedOption: {
    schema: subscriptionSelectedOption,
    says: 'An option that was chosen.',
    members: subscription.subscriptionOptionMembers,
  },
  CheckIn: {
    schema: checkIn,
    says: 'One entry of what happened at the door.',
    members: others.checkInMembers,
    enums: { method: others.METHOD_MEANINGS, status: others.CHECK_IN_STATUS_MEANINGS },
  },
  TicketMetadata: { schema: metadataEntry, says: 'A note on a ticket.', members: others.metadataMembers },
  TicketValidation: {
    schema: validationAnswer,
    says: 'What came of a validation.',
    members: others.answerMembers,
    enums: { reason: others.REASON_MEANINGS },
  },
}

/** What a request sends: unknown members are refused here, so these schemas are closed. */
const SENT: Record<string, Part> = {
  ValidationBody: { schema: validationBody, says: 'What a validation may be sent with.', members: others.bodyMembers },
  MetadataChange: { schema: metadataChange, says: 'A note to write or to take away.', members: others.changeMembers },
}

const SECRETS = new Set(Object.values(resources).flatMap(({ secrets }: Resource) => secrets))

export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Says things as a reader wants them: a date by its format, without the expression that checks it. */
function tidy(schema: Schema, closed: boolean): void {
  if (schema.format) delete schema.pattern
  if (closed) return
  delete schema.default
  // Answers may get members in later releases; who reads them must not refuse those.
  if (schema.additionalProperties === false) delete schema.additionalProperties
}

function describe(name: string, schema: Schema, { says, members, enums = {} }: Part): Schema {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([member, value]) => {
      const meanings = enums[member]
      return [
        member,
        {
          ...value,
          description: members[member] ?? '',
          ...(meanings ? { 'x-enumDescriptions': meanings } : {}),
          ...(SECRETS.has(member) ? { 'x-scope': 'secrets:read' } : {}),
        },
      ]
    }),
  )
  return { title: name, description: says, ...schema, properties }
}

function convert(parts: Record<string, Part>, io: 'input' | 'output'): Record<string, Schema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, { schema }] of Object.entries(parts)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => refTo(id).$ref,
    override: ({ jsonSchema }) => tidy(jsonSchema as Schema, io === 'input'),
  })
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const { $schema, $id, ...schema } = schemas[name] as Schema & { $schema?: string; $id?: string }
      return [name, describe(name, schema, part)]
    }),
  )
}

const listOf = (name: ResourceName): Schema => ({
  title: `${ONE[name]}List`,
  description: `A page of ${name}, newest first.`,
  type: 'object',
  properties: {
    has_more: {
      type: 'boolean',
      description: 'Whether more records lie ahead in the direction of travel: older ones, or newer ones with `ending_before`.',
    },
    total: { type: 'integer', minimum: 0, description: 'How many records match the filters, wherever the page is.' },
    data: { type: 'array', maxItems: 100, items: refTo(ONE[name]), description: `The ${name} of this page.` },
  },
  required: ['has_more', 'total', 'data'],
})

const error: Schema = {
  title: 'Error',
  description: 'A refusal. `code` is for a program, `message` for a person; it says what to do.',
  type: 'object',
  properties: {
    error: { type: 'string', description: 'The name of the status, such as `Bad Request`.' },
    message: { type: 'string', description: 'What is wrong and what to do. Its wording may change.' },
    code: { type: 'string', description: 'What is wrong, for a program. A code never changes its meaning.' },
    param: { type: 'string', description: 'The parameter, header or member at fault; absent where none is.' },
    requestId: {
      type: 'string',
      pattern: '^req_[0-9a-z]+$',
      description: 'The id of this request, as in the header `Request-Id`; in a replayed answer, that of the request it first answered.',
    },
  },
  required: ['error', 'message', 'code', 'requestId'],
}

/** Each record's schema shows a record. */
function withExamples(schemas: Record<string, Schema>): Record<string, Schema> {
  const examples: Record<string, unknown> = { Ticket: TICKET_EXAMPLE }
  for (const [name, title] of Object.entries(ONE)) examples[title] = RECORD_EXAMPLES[name as ResourceName]
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, examples[name] ? { ...schema, examples: [examples[name]] } : schema]),
  )
}

/** The document's schemas by name. */
export const makeSchemas = (): Record<string, Schema> => ({
  ...withExamples(convert(PARTS, 'output')),
  ...convert(SENT, 'input'),
  ...Object.fromEntries(Object.keys(resources).map((name) => [`${ONE[name as ResourceName]}List`, listOf(name as ResourceName)])),
  Error: error,
})
