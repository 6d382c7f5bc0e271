'use server'
/** Server actions for the Stripe page. */
import { refresh } from 'next/cache'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { stripeCopy as copy } from '@/app/copy/stripe'
import { requireActor } from '@/app/session'
import { secretSchema, setSecret } from '@/lib/sync/stripe/account'
import { retryEvents } from '@/lib/sync/stripe/retry-events'
import type { ActionResult } from '../_parts/action-button'

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
export async function retry(id: unknown): Promise<ActionResult> {
  const user = await requireActor('settings', PATH)
  const ids = typeof id === 'string' ? [id] : []
  const [event] = await retryEvents({ seller: user.sellerId, ids }, user)
  refresh()
  if (!event) return { text: copy.notFailed, isError: true }
  return event.state === 'failed' ? { text: copy.failedAgain(event.id), isError: true } : { text: copy.processed(event.id) }
}

/** Retries all failed events. Returns a message about the result. */
export async function retryAll(): Promise<ActionResult> {
  const user = await requireActor('settings', PATH)
  const events = await retryEvents({ seller: user.sellerId }, user)
  refresh()
  const failed = events.filter(({ state }) => state === 'failed').length
  return { text: copy.processedAll(events.length - failed, failed), isError: failed > 0 }
}
