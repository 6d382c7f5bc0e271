'use server'
/** Server action for the shop form. */
import { type FormState, isChanged, toFieldErrors } from '@/app/_components/form-state'
import { settingsCopy } from '@/app/copy/settings'
import { requireActor } from '@/app/session'
import { sellerUpdateSchema, updateSeller } from '@/lib/accounts/sellers'
import { changeAndRefresh } from '../_parts/account-errors'

/** The values of the shop form's fields. */
export type ShopValues = { name: string; timeZone: string }

/** Saves the fields that the user has changed. Returns the values of all fields as submitted. */
export async function save(_: FormState<ShopValues>, form: FormData): Promise<FormState<ShopValues>> {
  const user = await requireActor('settings', '/settings/seller')
  const values = { name: String(form.get('name') ?? ''), timeZone: String(form.get('timeZone') ?? '') }
  const parsed = sellerUpdateSchema.safeParse({
    ...(isChanged(form, 'name') ? { name: values.name } : {}),
    ...(isChanged(form, 'timeZone') ? { timeZone: values.timeZone.trim() } : {}),
  })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, settingsCopy.seller.fieldErrors) }
  const update = async () => {
    await updateSeller(user.sellerId, parsed.data, user)
    return values
  }
  return changeAndRefresh(update, { time_zone_unknown: 'timeZone' })
}
