/** Converts the coupon forms' fields to API request bodies. The caller validates them with the operation's schema. */
import { joinSorted, readText, readTimeZone, toLine } from '@/app/_components/form-state'
import { toMinorUnits } from '@/lib/core/money'
import { instantIn } from '@/lib/core/time'

const readNumber = (form: FormData, name: string) => {
  const text = readText(form, name)
  return text === undefined ? undefined : Number(text)
}

/**
 * Builds the request body for creating a coupon. Empty fields are undefined. Converts `amountOff` to minor units, and `redeemBy` to UTC
 * from local time in the form's time zone.
 *
 * @param timeZone the shop's time zone, used if the form has none
 */
export function buildCouponBody(form: FormData, timeZone: string) {
  const [currency, amount, redeemBy] = ['currency', 'amountOff', 'redeemBy'].map((name) => readText(form, name))
  const pageIds = form.getAll('pageIds')
  return {
    label: readText(form, 'label'),
    code: readText(form, 'code'),
    percentOff: readNumber(form, 'percentOff'),
    amountOff: amount === undefined ? undefined : toMinorUnits(amount, currency),
    currency,
    duration: form.get('duration'),
    durationInMonths: readNumber(form, 'durationInMonths'),
    maxRedemptions: readNumber(form, 'maxRedemptions'),
    redeemBy: redeemBy && instantIn(readTimeZone(form, timeZone), redeemBy),
    ...(pageIds.length > 0 ? { pageIds } : {}),
    ...(form.has('appliesToSetupFee') ? { appliesToSetupFee: true } : {}),
  }
}

/**
 * Reads all editable members of a coupon. Empty fields are null, but an empty `label` is `''`. Converts `redeemBy` to UTC from local time
 * in the form's time zone.
 */
function readEditedCoupon(form: FormData, timeZone: string) {
  const redeemBy = readText(form, 'redeemBy')
  const pageIds = form.getAll('pageIds').map(String).sort()
  return {
    label: readText(form, 'label') ?? '',
    maxRedemptions: readNumber(form, 'maxRedemptions') ?? null,
    redeemBy: redeemBy ? instantIn(readTimeZone(form, timeZone), redeemBy) : null,
    pageIds: pageIds.length === 0 ? null : pageIds,
    deleted: form.has('deleted'),
  }
}

/**
 * Builds the request body for updating a coupon. It contains only what the user has changed, so that other users' changes to the other
 * members are kept. The form's hidden fields `original.*` contain the original values.
 */
export const buildCouponUpdate = (form: FormData, timeZone: string): Partial<ReturnType<typeof readEditedCoupon>> =>
  Object.fromEntries(
    Object.entries(readEditedCoupon(form, timeZone)).filter(
      ([name]) => toLine(joinSorted(form.getAll(name))) !== toLine(form.get(`original.${name}`)),
    ),
  )
