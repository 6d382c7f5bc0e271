/** The value types and the sub-objects that records share (docs/spec.md, "Shared sub-objects"). */
import { z } from 'zod'
import { OBJECT_ID } from '../core/object-id'
import { toInstant } from '../core/time'

const characters = (value: string) => [...value].length

/** Text of at least `least` and at most `most` characters, counted as people count them: in code points. */
export const boundedText = (least: number, most: number) =>
  z
    .string()
    .refine((value) => characters(value) >= least && characters(value) <= most, `must have ${least} to ${most} characters`)
    .meta({ minLength: least, maxLength: most })

export const text = z.string()
// Spec silent: the unit of amounts. Minor currency units: 2500 is 25.00 EUR, or ¥2500.
/** A finite number; JSON has no other. */
export const number = z.number()
export const flag = z.boolean()
export const texts = z.array(text)

// Spec silent: the letter case of ids.
/** An id of ours: 24 hex digits, kept in lower case. */
export const objectId = z
  .string()
  .regex(OBJECT_ID, 'must be 24 hex digits')
  .overwrite((value) => value.toLowerCase())

// Spec silent: the one form of an instant.
/** An instant with any offset, kept as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be an instant such as 2026-11-21T19:30:00.000Z' })
  .refine((value) => toInstant(value) !== undefined, 'must lie in the years 1 to 9999')
  .overwrite((value) => toInstant(value) ?? value)

export const address = z.strictObject({
  line1: text.optional(),
  line2: text.optional(),
  city: text.optional(),
  state: text.optional(),
  postalCode: text.optional(),
  country: text.optional(),
})

export const billing = z.strictObject({
  name: text.optional(),
  companyName: text.optional(),
  email: text.optional(),
  billingEmail: text.optional(),
  phone: text.optional(),
  address: address.optional(),
})

export const shipping = z.strictObject({
  name: text.optional(),
  phone: text.optional(),
  address: address.optional(),
})

/** A fee of a payment or a booking; a subscription's carries one gateway reference more. */
export const fee = z.strictObject({
  name: text.optional(),
  amount: number.optional(),
  percentage: number.optional(),
})

/** A custom field of a subscription; a payment's and a booking's has `meta` too. */
export const customField = z.strictObject({
  fieldId: text.optional(),
  label: text.optional(),
  value: text.optional(),
  element: text.optional(),
  type: text.optional(),
  reference: text.optional(),
})

export const paymentMethod = z.strictObject({
  gateway: text.optional(),
  method: text.optional(),
  wallet: text.optional(),
  mode: text.optional(),
  brand: text.optional(),
  last4: text.optional(),
  country: text.optional(),
  exp_month: number.optional(),
  exp_year: number.optional(),
  funding: text.optional(),
})

export const discount = z.strictObject({
  minQuantity: number.optional(),
  maxQuantity: number.optional(),
  percentOff: number.optional(),
  amountOff: number.optional(),
  amount: number.optional(),
})

export const queryParameters = z.record(text, text)

/** A variant of what was bought: the same on payments and subscriptions but for its options. */
export const variant = {
  name: text.optional(),
  variantId: text.optional(),
  reference: text.optional(),
  selectionType: text.optional(),
}
