'use server'
/** Server actions for the Stripe page. */
import { refresh } from 'next/cache'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { stripeCopy as copy } from '@/app/copy/stripe'
import { requireActor } from '@/app/session'
import { secretSchema, setSecret } from '@/lib/sync/stripe/account'
import { retryEvents } from '@/lib/sync/stripe/retry-events'

const PATH = '/settings/stripe'

/** Stores the Stripe signing secret. */
export async function save(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireActor('settings', PATH)
  const parsed = secretSchema.safeParse({ secret: form.get('secret') })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  await setSecret(user.sellerId, parsed.data.secret, user)
  refresh()
  return { data: true }
}

/** Retries a failed event. Returns a message about the result. */
export async function retry(id: unknown): Promise<string> {
  const user = await requireActor('settings', PATH)
  const ids = typeof id === 'string' ? [id] : []
  const [event] = await retryEvents({ seller: user.sellerId, ids }, user)
  refresh()
  if (!event) return copy.notFailed
  return event.state === 'failed' ? copy.failedAgain(event.id) : copy.processed(event.id)
}

/** Retries all failed events. Returns a message about the result. */
export async function retryAll(): Promise<string> {
  const user = await requireActor('settings', PATH)
  const events = await retryEvents({ seller: user.sellerId }, user)
  refresh()
  const failed = events.filter(({ state }) => state === 'failed').length
  return copy.processedAll(events.length - failed, failed)
}
