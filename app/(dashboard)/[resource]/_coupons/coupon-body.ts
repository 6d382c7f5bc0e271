/** Converts the coupon forms' fields to API request bodies. The caller validates them with the operation's schema. */
import { readText } from '@/app/_components/form-state'
import { toMinorUnits } from '@/lib/core/money'
import { instantIn } from '@/lib/core/time'

const readNumber = (form: FormData, name: string) => {
  const text = readText(form, name)
  return text === undefined ? undefined : Number(text)
}

/** Returns the body that creates a coupon. Empty fields are undefined. `redeemBy` is converted from local time in `timeZone` to UTC. */
export function newCouponBody(form: FormData, timeZone: string) {
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
    redeemBy: redeemBy && instantIn(timeZone, redeemBy),
    ...(pageIds.length > 0 ? { pageIds } : {}),
    ...(form.has('appliesToSetupFee') ? { appliesToSetupFee: true } : {}),
  }
}

/**
 * Returns the body that updates a coupon. Empty fields are null, except `label`, an empty string. `redeemBy` is converted from local time
 * in `timeZone` to UTC.
 */
export function editedCouponBody(form: FormData, timeZone: string) {
  const redeemBy = readText(form, 'redeemBy')
  const pageIds = form.getAll('pageIds').map(String).sort()
  return {
    label: readText(form, 'label') ?? '',
    maxRedemptions: readNumber(form, 'maxRedemptions') ?? null,
    redeemBy: redeemBy ? (instantIn(timeZone, redeemBy) ?? null) : null,
    pageIds: pageIds.length === 0 ? null : pageIds,
    deleted: form.has('deleted'),
  }
}
