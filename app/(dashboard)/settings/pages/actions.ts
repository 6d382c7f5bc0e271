'use server'
/** Server actions of the products and events page. */
import { refresh } from 'next/cache'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { addPage, changePage, pageChange } from '@/lib/accounts/pages'
import { catchAccountError, idFrom, mustFind } from '../_parts/account-errors'

const HERE = '/settings/pages'
const copy = settingsCopy.pages

const read = (form: FormData) => pageChange.safeParse({ name: form.get('name'), entryPolicy: form.get('entryPolicy') })

/** Returns the page's name. */
export async function add(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const user = await requireUser('settings', HERE)
  const given = read(form)
  if (!given.success) return { errors: fieldErrorsOf(given.error, copy.fieldErrors) }
  await addPage(user.sellerId, given.data, user)
  refresh()
  return { done: given.data.name }
}

/** Returns the page's name. */
export async function change(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const user = await requireUser('settings', HERE)
  const given = read(form)
  if (!given.success) return { errors: fieldErrorsOf(given.error, copy.fieldErrors) }
  const reply = await catchAccountError(async () => {
    await mustFind(changePage(user.sellerId, idFrom(form.get('id')), given.data, user), 'page_unknown')
    return given.data.name
  })
  if (reply.done !== undefined) refresh()
  return reply
}
