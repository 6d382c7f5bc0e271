'use server'
/** Server actions for the coupon dialogs. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState, readText, toFieldErrors } from '@/app/_components/form-state'
import { couponCopy as copy } from '@/app/copy/coupons'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { createCouponBody, updateCouponBody } from '@/lib/catalog/coupon-operations'
import { coupons } from '@/lib/catalog/coupons'
import { ApiError } from '@/lib/core/errors'
import { findRecord } from '@/lib/listing/find-record'
import { addCoupon, changeCoupon } from '@/lib/sync/edit/coupons'
import { buildCouponBody, buildCouponUpdate } from './coupon-body'

const PATH = '/coupons'

/**
 * Makes a change and returns a message. Converts errors that the schema cannot detect, such as a code already in use, to form errors.
 *
 * @param code the coupon's code
 */
async function save(code: string, change: () => Promise<unknown>): Promise<FormState<string>> {
  try {
    await change()
    refresh()
    return { data: copy.saved(code) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'code_taken') return { errors: { code: copy.taken } }
    if (error.code === 'record_not_found') return { errors: { [FORM_ERROR_KEY]: copy.gone } }
    const field = error.param?.split('[')[0] as keyof typeof copy.errors | undefined
    if (error.code !== 'body_invalid' || field === undefined) throw error
    return { errors: { [field]: copy.errors[field] } }
  }
}

/** Creates a coupon. Returns a message. */
export async function create(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const { sellerId, timeZone, ...user } = await requireActor('records', PATH)
  const parsed = createCouponBody.safeParse(buildCouponBody(form, timeZone))
  if (!parsed.success) {
    // The schema reports a missing discount only if all members are valid, so it is checked separately.
    const hasDiscount = readText(form, 'percentOff') !== undefined || readText(form, 'amountOff') !== undefined
    return { errors: { ...toFieldErrors(parsed.error, copy.errors), ...(hasDiscount ? {} : { percentOff: copy.errors.percentOff }) } }
  }
  return save(parsed.data.code, () => addCoupon(sellerId, user, parsed.data))
}

/** Updates only those members of a coupon that the user has changed. Returns a message. */
export async function update(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const { sellerId, timeZone, ...user } = await requireActor('records', PATH)
  const id = parseId(form.get('id'))
  const json = await findRecord(coupons, sellerId, id)
  if (json === undefined) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  const { code } = coupons.record.parse(JSON.parse(json))
  const changed = buildCouponUpdate(form, timeZone)
  if (Object.keys(changed).length === 0) return { data: copy.saved(code) }
  const parsed = updateCouponBody.safeParse(changed)
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.errors) }
  return save(code, () => changeCoupon(sellerId, user, id, parsed.data))
}
