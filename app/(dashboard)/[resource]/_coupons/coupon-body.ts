/** Reads the fields of the coupon forms as the body of the API's requests. It is validated by the operation's schema. */
import { readText } from '@/app/_components/form-state'
import { toMinorUnits } from '@/lib/core/money'
import { instantIn } from '@/lib/core/time'

const readNumber = (form: FormData, name: string) => {
  const text = readText(form, name)
  return text === undefined ? undefined : Number(text)
}

/** Returns the body that creates a coupon. Empty fields are undefined. */
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

/** Returns the members that the edit form shows, with null for those without a value. `redeemBy` is an instant. */
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
