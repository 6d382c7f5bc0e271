'use server'
/** Server action for the shop form. */
import { refresh } from 'next/cache'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { sellerUpdateSchema, updateSeller } from '@/lib/accounts/sellers'

export async function save(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireUser('settings', '/settings/seller')
  const parsed = sellerUpdateSchema.safeParse({ name: form.get('name'), timeZone: String(form.get('timeZone') ?? '').trim() })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, settingsCopy.seller.fieldErrors) }
  await updateSeller(user.sellerId, parsed.data, user)
  refresh()
  return { done: true }
}
