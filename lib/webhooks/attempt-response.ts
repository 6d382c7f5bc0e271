/** Stores the response of an attempt, unless an erasure has changed the event in the meantime, because the response can echo its data. */
import { setTimeout as pause } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events, webhookAttempts } from '@/db/schema'
import { ERASURE_MS } from '../catalog/customer-operations'
import { log } from '../core/log'
import { eventData } from '../events/event-data'

/** The start of a response's body, null if there was no response, and the event's data as it was sent. */
type AttemptResponse = { sellerId: string; endpointId: string; eventId: string; data: string; body: string | null }

/** The first pause between two tries, in milliseconds. Each further pause is twice as long, up to `MAX_PAUSE_MS`. */
const PAUSE_MS = 250
const MAX_PAUSE_MS = 8_000
/** The maximum number of responses that wait for a locked event, to limit memory and queries. Further ones are not stored. */
const MAX_WAITING = 100

let waiting = 0

/** Selects the event if its data is still the data that was sent. */
const unchangedEvent = ({ sellerId, eventId, data }: AttemptResponse) =>
  sql`${events} as event where event.seller_id = ${sellerId} and event.id = ${eventId} and ${eventData('event')}::text = ${data}`

/**
 * Returns a SQL expression for the text to store. It is null if an erasure has changed the event, or if another transaction, such as a
 * running erasure or an import of the record, has locked the event. An erasure that starts later finds the stored response. If the
 * expression waited for the lock, it would block the endpoint and occupy a connection for as long as an erasure takes.
 */
export const storableResponse = (response: AttemptResponse): SQL =>
  response.body
    ? sql`(select ${response.body}::text from ${unchangedEvent(response)} for share of event skip locked)`
    : sql`${response.body}::text`

/** Stores a response unless its event is locked or has changed. @returns whether the event is locked */
async function tryStore(response: AttemptResponse, attemptId: string): Promise<boolean> {
  const { sellerId, endpointId, eventId } = response
  const [attempt] = await database('jobs').query<{ isLocked: boolean }>(sql`
    update ${webhookAttempts} set response = ${storableResponse(response)}
    where seller_id = ${sellerId} and endpoint_id = ${endpointId} and event_id = ${eventId} and id = ${attemptId}
    returning response is null and exists (select from ${unchangedEvent(response)}) as "isLocked"`)
  return attempt?.isLocked === true
}

/**
 * Stores the response of a recorded attempt once its event is no longer locked. Does not store it if the event has changed, the attempt has
 * been deleted, the event stays locked for longer than an erasure may take, too many responses are waiting, or the server stops.
 */
export async function storeLateResponse(response: AttemptResponse, attemptId: string): Promise<void> {
  if (waiting >= MAX_WAITING) {
    log().warn(
      { endpoint: response.endpointId, event: response.eventId },
      'did not store a webhook response, because too many are waiting for locked events',
    )
    return
  }
  waiting += 1
  try {
    const end = performance.now() + ERASURE_MS
    for (let ms = PAUSE_MS; (await tryStore(response, attemptId)) && performance.now() < end; ms = Math.min(2 * ms, MAX_PAUSE_MS))
      await pause(ms, undefined, { ref: false })
  } catch (error) {
    log().warn({ endpoint: response.endpointId, event: response.eventId, error }, 'could not store a webhook response')
  } finally {
    waiting -= 1
  }
}
