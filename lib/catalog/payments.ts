/** Payments: one-time orders. */
import { z } from 'zod'
import { payments as table } from '@/db/schema'
import { EXAMPLE, ORDER_COLUMNS, ORDER_SEARCH, ORDER_SECRETS, ORDER_TABS, orderMembers, orderStatus, sharedMembers } from './order'
import { defineResource } from './resource'
import { discount, money, optionMembers, variantMembers } from './shapes'

const selectedOption = z
  .strictObject({
    ...optionMembers,
    originalAdditionalChargeAmount: money('Amount that one unit adds to the price before the discount').optional(),
    discount: discount.optional().describe('Quantity discount applied to the option.'),
  })
  .meta({ id: 'PaymentSelectedOption', description: 'An option that the customer selected.' })

const variant = z
  .strictObject({
    ...variantMembers,
    selectedOptions: z.array(selectedOption).optional().describe('Options that the customer selected.'),
  })
  .meta({ id: 'PaymentVariant', description: 'A variant of a product and the options that the customer selected.' })

export const payments = defineResource({
  name: 'payments',
  label: { one: 'Payment', many: 'Payments' },
  description: 'A payment is a one-time order for a product.',
  table,
  record: z.strictObject({
    ...orderMembers,
    productId: sharedMembers.productId,
    productPrice: sharedMembers.productPrice,
    payWhatYouWantPrice: money('Pay-what-you-want price that the customer chose').optional(),
    discountedFromPrice: sharedMembers.discountedFromPrice,
    setupFee: sharedMembers.setupFee,
    quantity: sharedMembers.quantity,
    sku: sharedMembers.sku,
    variants: z.array(variant).optional().describe('Variants of the product that the customer selected (for example, size and color).'),
    licenseKeyId: sharedMembers.licenseKeyId,
  }),
  secrets: ORDER_SECRETS,
  search: ORDER_SEARCH,
  gatewayId: 'gatewayPaymentIntentId',
  filters: { pageId: true, status: orderStatus.options, tabs: ORDER_TABS },
  statusEvents: ['paid', 'refunded'],
  columns: ORDER_COLUMNS,
  example: {
    id: '6b011f2a5a117e00020007cf',
    orderId: 'OR-101999',
    ...EXAMPLE.customer,
    ...EXAMPLE.seller,
    pageId: '6807a1b2c3d4e5f607182930',
    currency: 'eur',
    amount: 12800,
    amountPaid: 12800,
    amountDue: 0,
    taxAmount: 2222,
    taxBreakdown: [
      {
        taxType: 'vat',
        taxabilityReason: 'standard_rated',
        taxableAmount: 10578,
        taxAmount: 2222,
        taxRateDetails: { country: 'NL', percentageDecimal: 21, taxType: 'vat' },
      },
    ],
    status: 'paid',
    paymentMethod: EXAMPLE.card,
    gatewayPaymentIntentId: 'pi_3Nf2',
    isAbandoned: false,
    createdAt: '2026-11-20T18:04:11.000Z',
    updatedAt: '2026-11-20T18:04:15.000Z',
    productId: '6807b0c1d2e3f40516273849',
    productPrice: 6400,
    quantity: 2,
    variants: [
      {
        name: 'Size',
        variantId: '6807b0c1d2e3f4051627384a',
        selectionType: 'single',
        selectedOptions: [{ optionId: '6807b0c1d2e3f4051627384b', optionName: 'Large', quantity: 2, additionalChargeAmount: 0 }],
      },
    ],
  },
})
