/** `POST /ingest/stripe`: receives Stripe's events. A 200 means that the event is stored or not needed, so Stripe does not resend it. */
import { setTimeout as pause } from 'node:timers/promises'
import { createQuota, createSemaphore, reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { createErasureError } from '../accounts/erasure-lock'
import { ApiError } from '../core/errors'
import { log } from '../core/log'
import { OBJECT_ID } from '../core/object-id-pattern'
import { findAccount } from '../sync/stripe/account'
import { storeEvent } from '../sync/stripe/events'
import { processEvents } from '../sync/stripe/process-events'
import { type Envelope, envelope, isStoredType } from '../sync/stripe/stripe-event'
import { readBytes } from './body'
import type { ApiRequest } from './exchange'
import { defineOpenRoute, type RouteResult } from './handler'

const MEBIBYTE = 1024 * 1024
/** The maximum size of an event, in bytes. Most are a few kilobytes; an invoice with many lines is a few hundred. */
const MAX_BYTES = MEBIBYTE
/** The maximum time for a body to arrive, in milliseconds. Stripe sends it immediately. */
const READ_MS = 5_000
/** The maximum age of a signature, in seconds. */
const TOLERANCE_SECONDS = 300
/**
 * Limits concurrent database work. A delivery holds no slot while its body arrives, because a slow client could hold it for a long time.
 * Excess deliveries get a 503; Stripe retries them.
 */
const semaphore = createSemaphore({ name: 'Stripe events', limit: 16, waitMs: 750, queue: 64 })

reportLoad('stripe_events', semaphore.load)

/** How long a delivery waits for an erasure of one of the seller's customers, in milliseconds. Most erasures take less. */
const ERASURE_WAIT_MS = 1_000

/**
 * The maximum size of a small body, in bytes. A body of this size usually arrives with the headers, so receiving it takes hardly longer
 * than refusing it.
 */
const MAX_SMALL_BYTES = 64 * 1024

/**
 * Limits on the total size of the bodies being received. Their signatures have not been verified yet, so anyone can send them. Small bodies
 * have a separate limit, so that large ones cannot keep out ordinary events. The limit on large bodies is lower: a client can keep sending
 * them, and check-in has to wait while the server reads from all of these connections.
 */
const reserveSmall = createQuota('stripe_bodies', { total: 32 * MEBIBYTE, perAddress: 4 * MEBIBYTE })
const reserveLarge = createQuota('stripe_bodies', { total: 8 * MEBIBYTE, perAddress: 2 * MEBIBYTE })

/**
 * Reserves memory for a request's body. A body without a declared length counts as small until more than `MAX_SMALL_BYTES` has arrived.
 *
 * @returns `grow`, to call with the number of bytes that have arrived, and `release`; `grow` throws the same error as this function
 * @throws {UnavailableError} `queue_full` if too many bytes are reserved
 */
function reserveBody({ headers, address = 'unknown' }: ApiRequest) {
  const reserve = (bytes: number) => {
    const release = (bytes > MAX_SMALL_BYTES ? reserveLarge : reserveSmall)(address, bytes)
    if (!release) throw new UnavailableError('Too many Stripe events are being received.', { code: 'queue_full' })
    return release
  }
  let reserved = headers.has('transfer-encoding') ? MAX_SMALL_BYTES : Math.min(Number(headers.get('content-length') ?? 0), MAX_BYTES)
  let release = reserve(reserved)
  return {
    grow(length: number) {
      if (length <= reserved) return
      const releaseLarge = reserve(MAX_BYTES)
      release()
      ;[reserved, release] = [MAX_BYTES, releaseLarge]
    },
    release: () => release(),
  }
}

/** Returns the same error for an unknown seller, a missing secret, and an invalid or old signature, so as not to reveal the cause. */
const invalidSignatureError = () =>
  new ApiError(
    'body_invalid',
    'The signature does not match this endpoint’s signing secret or is older than 5 minutes. Check the signing secret in the settings.',
    'Stripe-Signature',
  )

const invalidEventError = () => new ApiError('body_invalid', 'The body is not a Stripe event.')

/** Returns whether the header has a signature and a recent timestamp. `verify` checks their authenticity after the body has been read. */
function hasRecentSignature(signature: string): boolean {
  const parts = signature.split(',')
  const seconds = Number(parts.find((part) => /^t=\d+$/.test(part))?.slice(2))
  return Math.floor(Date.now() / 1000) - seconds <= TOLERANCE_SECONDS && parts.some((part) => /^v1=[\da-f]{64}$/.test(part))
}

/**
 * Reads the body as text.
 *
 * @param grow called with the number of bytes that have arrived. If it throws, the rest of the body is not read
 * @throws {ApiError} `body_too_large`, or `body_invalid` if the body is incomplete, does not arrive in time or is not UTF-8
 */
async function readPayload(request: ApiRequest, grow: (length: number) => void): Promise<string> {
  const done = new AbortController()
  const timeout = pause(READ_MS, undefined, { signal: done.signal }).then(() => {
    throw new ApiError('body_invalid', `The body did not arrive within ${READ_MS / 1000} seconds. Send it again.`)
  })
  try {
    return decode(await Promise.race([readBytes(request, MAX_BYTES, grow), timeout]))
  } finally {
    done.abort()
  }
}

/** Verifies the signature and returns the event. @throws {ApiError} if the signature is wrong or old, or the payload is not an event */
async function verify(payload: string, signature: string, secret: string): Promise<Envelope> {
  // Imported on the first event: loading the package takes about 100 ms, and servers that do not use Stripe never need it.
  const { default: Stripe } = await import('stripe')
  try {
    return envelope.parse(Stripe.webhooks.constructEvent(payload, signature, secret, TOLERANCE_SECONDS))
  } catch (error) {
    throw error instanceof Stripe.errors.StripeSignatureVerificationError ? invalidSignatureError() : invalidEventError()
  }
}

/** Decodes UTF-8. @throws {ApiError} the error for an invalid signature, because Stripe sends only UTF-8 */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidSignatureError()
  }
}

/** Checks a delivery's signature header and seller, and receives the event with memory reserved for its body. */
async function receive(request: ApiRequest): Promise<RouteResult> {
  const signature = request.headers.get('stripe-signature') ?? ''
  const seller = new URL(request.url).searchParams.get('seller')?.toLowerCase()
  if (!hasRecentSignature(signature) || (seller !== undefined && !OBJECT_ID.test(seller))) throw invalidSignatureError()
  const reservation = reserveBody(request)
  try {
    return await receiveEvent(request, signature, seller, reservation.grow)
  } finally {
    reservation.release()
  }
}

/** Reads, verifies and stores an event, and starts processing it. @param grow called with the number of bytes that have arrived */
async function receiveEvent(
  request: ApiRequest,
  signature: string,
  seller: string | undefined,
  grow: (length: number) => void,
): Promise<RouteResult> {
  const account = await semaphore.run(() => findAccount(seller))
  if (!account) throw invalidSignatureError()
  const payload = await readPayload(request, grow)
  const event = await semaphore.run(() => verify(payload, signature, account.secret))
  if (isStoredType(event.type)) {
    const store = () => semaphore.run(() => storeEvent(account.seller, event, payload))
    // Waits without a slot or a connection, because other sellers need them.
    const isStored = (await store()) || (await pause(ERASURE_WAIT_MS).then(store))
    if (!isStored) throw createErasureError()
    // Not awaited: the event is stored, and if processing fails now, a later run retries it.
    processEvents(account.seller).catch((error: unknown) => log().warn({ error }, 'could not process Stripe events; will retry'))
  }
  return { status: 200, body: '{"received":true}' }
}

export const ingestRoute = defineOpenRoute(receive, 'POST')
