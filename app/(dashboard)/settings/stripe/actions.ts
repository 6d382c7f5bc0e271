'use server'
/** What an owner does about the shop's Stripe account. */
import { refresh } from 'next/cache'
import { complaintsOf, type Reply } from '@/app/_components/form-reply'
import { settingsWords } from '@/app/copy/settings'
import { requirePerson } from '@/app/session'
import { secretChange, setSecret } from '@/lib/sync/stripe/account'
import { retryEvents } from '@/lib/sync/stripe/retry'

const HERE = '/settings/stripe'
const words = settingsWords.stripe

export async function save(_: Reply, form: FormData): Promise<Reply> {
  const person = await requirePerson('settings', HERE)
  const given = secretChange.safeParse({ secret: form.get('secret') })
  if (!given.success) return { complaints: complaintsOf(given.error, words.complaints) }
  await setSecret(person.sellerId, given.data.secret, person)
  refresh()
  return { done: true }
}

/** @returns a sentence about what came of it */
export async function retry(id: unknown): Promise<string> {
  const person = await requirePerson('settings', HERE)
  const ids = typeof id === 'string' ? [id] : []
  const [event] = await retryEvents({ seller: person.sellerId, ids }, person)
  refresh()
  if (!event) return words.notFailed
  return event.state === 'failed' ? words.failedAgain(event.id) : words.retried(event.id)
}

/** @returns a sentence about what came of it */
export async function retryAll(): Promise<string> {
  const person = await requirePerson('settings', HERE)
  const events = await retryEvents({ seller: person.sellerId }, person)
  refresh()
  const failed = events.filter(({ state }) => state === 'failed').length
  return words.retriedAll(events.length - failed, failed)
}
