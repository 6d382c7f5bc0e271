/** Defines the operations that create and update coupons, and the schemas of their bodies. */
import { z } from 'zod'
import { isCurrency } from '../core/money'
import { coupons } from './coupons'
import { boundedText, flag, instant, objectId, wholeNumber } from './shapes'
import { defineWrite } from './write-operation'

/** Excludes non-ASCII letters whose uppercase form is an ASCII letter, such as ſ. */
const CURRENCY = /^[A-Za-z]{3}$/

const pageIds = z
  .array(objectId)
  .min(1, 'must contain at least one ID. To make the coupon valid on all pages, omit pageIds, or set it to null in an update')
  .overwrite((ids) => [...new Set(ids)])
const { shape } = coupons.record
const getDescription = (name: keyof typeof shape) => shape[name].description ?? ''

const members = {
  label: boundedText(1, 200)
    .refine((label) => label.trim() !== '', 'must contain a character other than a space')
    .describe(getDescription('label')),
  pageIds: pageIds.describe(getDescription('pageIds')),
  maxRedemptions: wholeNumber(1, Number.MAX_SAFE_INTEGER).describe(getDescription('maxRedemptions')),
  // Whether the time is in the future is not checked here, because a request can be retried with its idempotency key after that time.
  redeemBy: instant.describe('Time after which the coupon can no longer be redeemed. Must be in the future.'),
}

/** The members of a coupon that depend on each other. */
type Discount = {
  percentOff?: number | undefined
  amountOff?: number | undefined
  currency?: string | undefined
  duration: string
  durationInMonths?: number | undefined
}

/** Returns a member that violates a rule about other members, and what is wrong with it. Returns undefined if there is none. */
function findViolation({ percentOff, amountOff, currency, duration, durationInMonths }: Discount): [string, string] | undefined {
  if (percentOff === undefined && amountOff === undefined) return ['percentOff', 'is missing: send either percentOff or amountOff']
  if (percentOff !== undefined && amountOff !== undefined) return ['amountOff', 'cannot be combined with percentOff: send only one of them']
  if (percentOff !== undefined && currency !== undefined) return ['currency', 'can be sent only with amountOff']
  if (amountOff !== undefined && currency === undefined) return ['currency', 'is missing: it is required with amountOff']
  if (duration === 'repeating' && durationInMonths === undefined)
    return ['durationInMonths', "is missing: it is required if duration is 'repeating'"]
  if (duration !== 'repeating' && durationInMonths !== undefined) return ['durationInMonths', "can be sent only if duration is 'repeating'"]
  return undefined
}

export const createCouponBody = z
  .strictObject({
    label: members.label,
    code: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,200}$/, 'must have 1 to 200 characters: letters from A to Z in either case, digits, hyphens and underscores')
      .describe('Code that customers enter. Must be unique, regardless of letter case, among your coupons that are not deleted.'),
    duration: shape.duration,
    durationInMonths: wholeNumber(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Number of months for which the coupon applies. Required if `duration` is `repeating`; not allowed otherwise.'),
    percentOff: z
      .number()
      .refine(
        (value) => value > 0 && value <= 100 && Number(value.toFixed(2)) === value,
        'must be more than 0 and at most 100, with at most two decimal places',
      )
      .meta({ exclusiveMinimum: 0, maximum: 100 })
      .optional()
      .describe('Percentage taken off, with up to two decimal places. Send either `percentOff` or `amountOff`.'),
    amountOff: wholeNumber(1, 99_999_999)
      .optional()
      .describe('Amount taken off, in minor currency units (for example, cents). Send either `percentOff` or `amountOff`.'),
    currency: z
      .string()
      .refine((code) => CURRENCY.test(code) && isCurrency(code.toUpperCase()), 'must be a three-letter ISO 4217 currency code such as eur')
      .meta({ pattern: CURRENCY.source })
      .overwrite((code) => code.toLowerCase())
      .optional()
      .describe('Three-letter ISO 4217 code of the currency of `amountOff`. Required if `amountOff` is sent; not allowed otherwise.'),
    appliesToSetupFee: flag.optional().describe(getDescription('appliesToSetupFee')),
    pageIds: members.pageIds.optional(),
    maxRedemptions: members.maxRedemptions.optional(),
    redeemBy: members.redeemBy.optional(),
  })
  .superRefine((body, context) => {
    const [name, message] = findViolation(body) ?? []
    if (name !== undefined) context.addIssue({ code: 'custom', path: [name], message: message ?? '' })
  })
  .meta({ id: 'CreateCouponBody', description: 'A coupon to create.' })

export const updateCouponBody = z
  .strictObject({
    label: members.label.optional(),
    pageIds: members.pageIds
      .nullable()
      .optional()
      .describe(`${getDescription('pageIds')} \`null\` makes the coupon valid on all pages.`),
    maxRedemptions: members.maxRedemptions
      .nullable()
      .optional()
      .describe(`${getDescription('maxRedemptions')} Must not be less than \`timesRedeemed\`. \`null\` removes the limit.`),
    redeemBy: members.redeemBy
      .nullable()
      .optional()
      .describe('Time after which the coupon can no longer be redeemed. Must be in the future. `null` removes the time limit.'),
    deleted: flag.optional().describe(getDescription('deleted')),
  })
  .meta({
    id: 'UpdateCouponBody',
    description: 'The members of a coupon to change. `null` removes `pageIds`, `maxRedemptions` or `redeemBy`.',
  })

/** The error for a code that is in use, with the general example. */
const codeTakenError = { code_taken: {} }

export const createCoupon = defineWrite({
  id: 'createCoupon',
  method: 'POST',
  path: '/v1/coupons',
  record: coupons,
  summary: 'Create a coupon',
  description: `Creates a coupon. Its code must not be in use by another coupon that is not deleted. The discount cannot be changed later.

The coupon is not sent to Stripe. If Stripe later reports a coupon whose ID is this code, in any letter case, the two are merged. Stripe’s events then change only the members that you have not set or edited, and never the discount.`,
  scope: 'coupons:write',
  body: createCouponBody,
  example: { label: 'Summer sale', code: 'SUMMER', duration: 'once', percentOff: 15, maxRedemptions: 500 },
  response: { timesRedeemed: 0, updatedAt: coupons.example.createdAt },
  status: 201,
  errors: { body_invalid: { message: 'currency is missing: it is required with amountOff.', param: 'currency' }, ...codeTakenError },
})

export const updateCoupon = defineWrite({
  id: 'updateCoupon',
  method: 'PATCH',
  path: '/v1/coupons/{id}',
  record: coupons,
  summary: 'Update a coupon',
  description:
    'Changes the members that you send, and leaves all others unchanged. The discount and the code cannot be changed; create another coupon instead. To delete a coupon, send `{ "deleted": true }`.',
  scope: 'coupons:write',
  body: updateCouponBody,
  example: { label: 'Summer sale, extended', maxRedemptions: null },
  response: { updatedAt: '2026-11-22T09:00:00.000Z' },
  status: 200,
  errors: {
    body_invalid: {
      message: 'maxRedemptions must be at least 37, because the coupon has already been redeemed 37 times.',
      param: 'maxRedemptions',
    },
    ...codeTakenError,
  },
})
