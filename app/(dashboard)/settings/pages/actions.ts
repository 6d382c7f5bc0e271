'use server'
/** What an owner does to the shop's pages. */
import { refresh } from 'next/cache'
import { complaintsOf, type Reply } from '@/app/_components/form-reply'
import { settingsWords } from '@/app/copy/settings'
import { requirePerson } from '@/app/session'
import { addPage, changePage, pageChange } from '@/lib/accounts/pages'
import { idFrom, mustFind, refusable } from '../_parts/refusals'

const HERE = '/settings/pages'
const words = settingsWords.pages

const read = (form: FormData) => pageChange.safeParse({ name: form.get('name'), entryPolicy: form.get('entryPolicy') })

/** Answers the page's name. */
export async function add(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const person = await requirePerson('settings', HERE)
  const given = read(form)
  if (!given.success) return { complaints: complaintsOf(given.error, words.complaints) }
  await addPage(person.sellerId, given.data, person)
  refresh()
  return { done: given.data.name }
}

/** Answers the page's name. */
export async function change(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const person = await requirePerson('settings', HERE)
  const given = read(form)
  if (!given.success) return { complaints: complaintsOf(given.error, words.complaints) }
  const reply = await refusable(async () => {
    await mustFind(changePage(person.sellerId, idFrom(form.get('id')), given.data, person), 'page_unknown')
    return given.data.name
  })
  if (reply.done !== undefined) refresh()
  return reply
}
