/** Coupons: discounts that customers redeem with a code. */
import { z } from 'zod'
import { coupons as table } from '@/db/schema'
import { defineResource } from './resource'
import { currency, enumeration, flag, identity, instant, money, number, objectId, text } from './shapes'

const duration = enumeration({
  once: 'Applies to the first invoice.',
  repeating: 'Applies to all invoices during the first `durationInMonths` months.',
  forever: 'Applies to all invoices.',
})

export const coupons = defineResource({
  name: 'coupons',
  label: { one: 'Coupon', many: 'Coupons' },
  description: 'A coupon is a discount that a customer gets by entering a code.',
  table,
  record: z.strictObject({
    id: identity.id,
    label: text.describe('Name of the coupon, for the seller. Searchable.'),
    code: text.describe('Code that customers enter. Searchable.'),
    amountOff: money('Amount taken off').optional(),
    currency: currency.optional().describe('Three-letter ISO 4217 code of the currency of `amountOff`.'),
    percentOff: number.optional().describe('Percentage taken off.'),
    appliesToSetupFee: flag.optional().describe('Whether the coupon also applies to the setup fee.'),
    duration: duration.describe('How long the coupon applies to a subscription.'),
    durationInMonths: number.optional().describe('Number of months for which the coupon applies, if `duration` is `repeating`.'),
    redeemBy: instant.optional().describe('Time after which the coupon can no longer be redeemed.'),
    maxRedemptions: number.optional().describe('Maximum number of times the coupon can be redeemed.'),
    timesRedeemed: number.default(0).describe('Number of times the coupon has been redeemed.'),
    deleted: flag.default(false).describe('Whether the coupon is deleted. A deleted coupon cannot be redeemed but is still listed.'),
    sellerId: identity.sellerId,
    pageIds: z
      .array(objectId)
      .optional()
      .describe('IDs of the product and event pages where the coupon is valid. Absent if it is valid on all pages.'),
    gatewayCouponId: text.optional().describe('ID of the coupon at the payment gateway.'),
    createdAt: identity.createdAt,
    updatedAt: identity.updatedAt,
  }),
  secrets: [],
  search: { label: 'label', code: 'code' },
  gatewayId: 'gatewayCouponId',
  filters: {},
  columns: [
    { key: 'code', label: 'Code', kind: 'code', phone: 'title' },
    { key: 'label', label: 'Label', kind: 'text', phone: 'note' },
    { key: 'percentOff', label: 'Percent off', kind: 'percent', phone: 'side' },
    { key: 'amountOff', label: 'Amount off', kind: 'money', phone: 'side' },
    { key: 'duration', label: 'Duration', kind: 'text' },
    { key: 'timesRedeemed', label: 'Uses', kind: 'number', sort: 'uses', phone: 'mark' },
    { key: 'createdAt', label: 'Created', kind: 'date', sort: 'createdAt' },
    { key: 'maxRedemptions', label: 'Limit', kind: 'number', hidden: true },
    { key: 'redeemBy', label: 'Expires', kind: 'date', hidden: true },
  ],
  example: {
    id: '68a1f0e2d3c4b5a697887960',
    label: 'Early bird',
    code: 'EARLY',
    percentOff: 10,
    duration: 'once',
    maxRedemptions: 200,
    timesRedeemed: 37,
    deleted: false,
    sellerId: '651f2a90c1d4e5f60a1b2c3d',
    pageIds: ['680784c0821027c4d1044cb9'],
    createdAt: '2026-09-01T09:00:00.000Z',
    updatedAt: '2026-11-20T18:10:04.000Z',
  },
})
