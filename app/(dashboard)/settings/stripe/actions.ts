'use server'
/** Server actions of the Stripe page. */
import { refresh } from 'next/cache'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { secretChange, setSecret } from '@/lib/sync/stripe/account'
import { retryEvents } from '@/lib/sync/stripe/retry'

const HERE = '/settings/stripe'
const copy = settingsCopy.stripe

export async function save(_: Reply, form: FormData): Promise<Reply> {
  const user = await requireUser('settings', HERE)
  const given = secretChange.safeParse({ secret: form.get('secret') })
  if (!given.success) return { errors: fieldErrorsOf(given.error, copy.fieldErrors) }
  await setSecret(user.sellerId, given.data.secret, user)
  refresh()
  return { done: true }
}

/** Returns a sentence about the result. */
export async function retry(id: unknown): Promise<string> {
  const user = await requireUser('settings', HERE)
  const ids = typeof id === 'string' ? [id] : []
  const [event] = await retryEvents({ seller: user.sellerId, ids }, user)
  refresh()
  if (!event) return copy.notFailed
  return event.state === 'failed' ? copy.failedAgain(event.id) : copy.processed(event.id)
}

/** Returns a sentence about the result. */
export async function retryAll(): Promise<string> {
  const user = await requireUser('settings', HERE)
  const events = await retryEvents({ seller: user.sellerId }, user)
  refresh()
  const failed = events.filter(({ state }) => state === 'failed').length
  return copy.processedAll(events.length - failed, failed)
}
