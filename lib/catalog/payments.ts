/** Payments: one-time orders. */
import { z } from 'zod'
import { payments as table } from '@/db/schema'
import { ORDER_COLUMNS, ORDER_SECRETS, ORDER_STATUSES, orderMembers } from './order'
import { defineResource } from './resource'
import { discount, number, text, variant } from './shapes'

export const paymentSelectedOption = z.strictObject({
  optionId: text.optional(),
  optionName: text.optional(),
  sku: text.optional(),
  quantity: number.optional(),
  additionalChargeAmount: number.optional(),
  originalAdditionalChargeAmount: number.optional(),
  discount: discount.optional(),
})

export const paymentVariant = z.strictObject({ ...variant, selectedOptions: z.array(paymentSelectedOption).optional() })

export const payments = defineResource({
  name: 'payments',
  table,
  record: z.strictObject({
    ...orderMembers,
    productId: text.optional(),
    productPrice: number.optional(),
    payWhatYouWantPrice: number.optional(),
    discountedFromPrice: number.optional(),
    setupFee: number.optional(),
    quantity: number.optional(),
    sku: text.optional(),
    variants: z.array(paymentVariant).optional(),
    licenseKeyId: text.optional(),
  }),
  secrets: ORDER_SECRETS,
  filters: { pageId: true, status: ORDER_STATUSES },
  columns: ORDER_COLUMNS,
})
