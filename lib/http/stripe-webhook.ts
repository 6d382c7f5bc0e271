/** POST /ingest/stripe: takes an event of Stripe's in. Once it is kept, Stripe need not send it again. */
import { createSemaphore } from '@/db/semaphore'
import { ApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { OBJECT_ID } from '../core/object-id'
import { findAccount } from '../sync/stripe/account'
import { type Envelope, envelope, isStoredType } from '../sync/stripe/event'
import { storeEvent } from '../sync/stripe/events'
import { processEvents } from '../sync/stripe/process-events'
import { readBytes } from './body'
import { type Answer, defineOpenRoute } from './handler'

/** Stripe's events are some kilobytes; an invoice with all its lines may have some hundred. */
const MAX_BYTES = 1024 * 1024
const TOLERANCE_SECONDS = 300
/** Bodies that are read at once, and how many more may wait: whoever is refused is Stripe, which comes again. */
const semaphore = createSemaphore({ name: 'Stripe events', limit: 16, waitMs: 750, queue: 64 })

/** One answer for an unknown seller, one without a secret, and a signature that is wrong or old: none tells of another. */
const notSigned = () =>
  new ApiError(
    'body_invalid',
    'The event is not signed with the secret of this endpoint. Set the signing secret in the settings, and send it within 5 minutes of signing.',
    'Stripe-Signature',
  )

const unreadable = () => new ApiError('body_invalid', 'The body is no event of Stripe.')

/** @throws {ApiError} where the signature is wrong or old, or what it signs is no event */
async function verify(payload: string, signature: string, secret: string): Promise<Envelope> {
  // Loaded with the first event: it takes a tenth of a second, which a start without Stripe need not wait for.
  const { default: Stripe } = await import('stripe')
  try {
    return envelope.parse(Stripe.webhooks.constructEvent(payload, signature, secret, TOLERANCE_SECONDS))
  } catch (error) {
    throw error instanceof Stripe.errors.StripeSignatureVerificationError ? notSigned() : unreadable()
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notSigned()
  }
}

async function receive(request: Request): Promise<Answer> {
  const signature = request.headers.get('stripe-signature')
  const seller = new URL(request.url).searchParams.get('seller')?.toLowerCase()
  if (!signature || (seller !== undefined && !OBJECT_ID.test(seller))) throw notSigned()
  const release = await semaphore.acquire()
  try {
    const payload = decode(await readBytes(request, MAX_BYTES))
    const account = await findAccount(seller)
    if (!account) throw notSigned()
    const event = await verify(payload, signature, account.secret)
    if (isStoredType(event.type)) {
      await storeEvent(account.seller, event, payload)
      // Not awaited: the event is stored, and the next round processes what fails now.
      processEvents(account.seller).catch((error: unknown) => log().warn({ error: describeError(error) }, 'events wait'))
    }
    return { status: 200, body: '{"received":true}' }
  } finally {
    release()
  }
}

export const ingestRoute = defineOpenRoute(receive, 'POST')
