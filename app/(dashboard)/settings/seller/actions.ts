'use server'
/** Server action of the shop form. */
import { refresh } from 'next/cache'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { changeSeller, sellerChange } from '@/lib/accounts/sellers'

export async function save(_: Reply, form: FormData): Promise<Reply> {
  const user = await requireUser('settings', '/settings/seller')
  const given = sellerChange.safeParse({ name: form.get('name'), timeZone: String(form.get('timeZone') ?? '').trim() })
  if (!given.success) return { errors: fieldErrorsOf(given.error, settingsCopy.seller.fieldErrors) }
  await changeSeller(user.sellerId, given.data, user)
  refresh()
  return { done: true }
}
