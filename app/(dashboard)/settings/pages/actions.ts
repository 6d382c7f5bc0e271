'use server'
/** Server actions of the products and events page. */
import { refresh } from 'next/cache'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { requirePerson } from '@/app/session'
import { addPage, changePage, pageChange } from '@/lib/accounts/pages'
import { catchAccountError, idFrom, mustFind } from '../_parts/account-errors'

const HERE = '/settings/pages'
const copy = settingsCopy.pages

const read = (form: FormData) => pageChange.safeParse({ name: form.get('name'), entryPolicy: form.get('entryPolicy') })

/** Returns the page's name. */
export async function add(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const person = await requirePerson('settings', HERE)
  const given = read(form)
  if (!given.success) return { errors: fieldErrorsOf(given.error, copy.fieldErrors) }
  await addPage(person.sellerId, given.data, person)
  refresh()
  return { done: given.data.name }
}

/** Returns the page's name. */
export async function change(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const person = await requirePerson('settings', HERE)
  const given = read(form)
  if (!given.success) return { errors: fieldErrorsOf(given.error, copy.fieldErrors) }
  const reply = await catchAccountError(async () => {
    await mustFind(changePage(person.sellerId, idFrom(form.get('id')), given.data, person), 'page_unknown')
    return given.data.name
  })
  if (reply.done !== undefined) refresh()
  return reply
}
