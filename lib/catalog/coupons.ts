/** Coupons: discounts that a customer enters by code. */
import { z } from 'zod'
import { coupons as table } from '@/db/schema'
import { defineResource } from './resource'
import { flag, instant, number, objectId, text } from './shapes'

export const coupons = defineResource({
  name: 'coupons',
  table,
  record: z.strictObject({
    id: objectId,
    label: text,
    code: text,
    amountOff: number.optional(),
    currency: text.optional(),
    percentOff: number.optional(),
    appliesToSetupFee: flag.optional(),
    duration: z.enum(['once', 'repeating', 'forever']),
    durationInMonths: number.optional(),
    redeemBy: instant.optional(),
    maxRedemptions: number.optional(),
    timesRedeemed: number.default(0),
    deleted: flag.default(false),
    sellerId: text,
    pageIds: z.array(objectId).optional(),
    gatewayCouponId: text.optional(),
    createdAt: instant,
    updatedAt: instant,
  }),
  secrets: [],
  filters: {},
  columns: [
    { key: 'code', label: 'Code', kind: 'code' },
    { key: 'label', label: 'Label', kind: 'text' },
    { key: 'percentOff', label: 'Percent off', kind: 'percent' },
    { key: 'amountOff', label: 'Amount off', kind: 'money' },
    { key: 'duration', label: 'Duration', kind: 'text' },
    { key: 'timesRedeemed', label: 'Redeemed', kind: 'number' },
    { key: 'createdAt', label: 'Created', kind: 'date' },
    { key: 'maxRedemptions', label: 'At most', kind: 'number', hidden: true },
    { key: 'redeemBy', label: 'Until', kind: 'date', hidden: true },
  ],
})
