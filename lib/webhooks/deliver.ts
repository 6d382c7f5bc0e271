/** Delivers the due events of an endpoint, and records each attempt. */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events, webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { isUnavailable } from '@/db/unavailable'
import { writeAudit } from '../accounts/audit'
import { env } from '../core/env'
import { log } from '../core/log'
import { metrics } from '../core/metrics'
import { parseRetryAfter } from '../core/retry-after'
import { tryUnseal } from '../core/seal'
import { instantText } from '../core/sql'
import { eventData } from '../events/event-data'
import { storableResponse, storeLateResponse } from './attempt-response'
import { failPending } from './endpoints'
import { type Attempt, sendMessage } from './send'
import { signMessage } from './sign'

/** The delays before the second and later attempts, in seconds. */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** The largest random addition to a delay, as a fraction of it. */
const JITTER = 0.2
/** The longest Retry-After that is honored, in seconds. */
const MAX_RETRY_AFTER = 86_400
/** The time after which a failing endpoint is disabled. */
const FAILING_LIMIT = sql`interval '5 days'`
/**
 * The time without attempts after which earlier failures no longer count. Otherwise, a single failed attempt after a quiet period could
 * disable an endpoint. It is longer than the longest delay between two attempts, so that waiting for a retry is not a quiet period.
 */
const QUIET_LIMIT = sql`interval '30 hours'`
/** The maximum number of concurrent requests to an endpoint. */
const CONCURRENCY = 10
/** The maximum number of tries to record an attempt. */
const RECORD_TRIES = 10

export type EndpointKey = { sellerId: string; endpointId: string }

type Endpoint = { url: string; secret: Buffer; oldSecret: Buffer | null }
/**
 * A due delivery with its event, whose `type` is null if the event has been deleted. `attempts` is the number of earlier attempts, and
 * `attemptId` the ID of the next one. The ID is assigned before the attempt, so that recording it again has no effect.
 */
type DueDelivery = { id: string; type: string | null; createdAt: string; data: string; attempts: number; nextAt: string; attemptId: string }

const whereEndpoint = ({ sellerId, endpointId }: EndpointKey) => sql`seller_id = ${sellerId} and endpoint_id = ${endpointId}`

async function readEndpoint({ sellerId, endpointId }: EndpointKey): Promise<Endpoint | undefined> {
  const [endpoint] = await database('jobs').query<Endpoint>(sql`
    select url, secret, case when old_secret_until > now() then old_secret end as "oldSecret" from ${webhookEndpoints}
    where seller_id = ${sellerId} and id = ${endpointId} and enabled`)
  return endpoint
}

/** Returns up to `CONCURRENCY` of the endpoint's due deliveries, longest overdue first. */
const readDue = (key: EndpointKey) =>
  database('jobs').query<DueDelivery>(sql`
    select delivery.event_id as id, event.type, ${instantText(sql`event.created_at`)} as "createdAt", ${eventData('event')}::text as data, delivery.attempts,
      delivery.next_at::text as "nextAt", nextval(pg_get_serial_sequence('webhook_attempts', 'id'))::text as "attemptId"
    from (
      select seller_id, event_id, attempts, next_at from ${webhookDeliveries}
      where ${whereEndpoint(key)} and state = 'pending' and next_at <= now() order by next_at limit ${CONCURRENCY}) as delivery
    left join ${events} as event on event.seller_id = delivery.seller_id and event.id = delivery.event_id
    order by delivery.next_at`)

/**
 * Disables an endpoint, unless its URL or secret has changed. Its pending deliveries fail, and can be sent again once the endpoint is
 * enabled.
 *
 * @param attempted the URL and the secret that the reason applies to
 */
export async function disableEndpoint(
  { sellerId, endpointId }: EndpointKey,
  { url, secret }: Pick<Endpoint, 'url' | 'secret'>,
  reason: 'failing' | 'gone' | 'secret_lost',
): Promise<void> {
  const isDisabled = await database('jobs').transaction(async (connection) => {
    const disabled = await connection.rows(sql`
      update ${webhookEndpoints} set enabled = false, disabled_reason = ${reason}, updated_at = clock_timestamp()
      where seller_id = ${sellerId} and id = ${endpointId} and enabled and url = ${url} and secret = ${secret} returning 1`)
    if (disabled.length === 0) return false
    await failPending(connection, sellerId, endpointId)
    const changes = { reason: { after: reason } }
    await writeAudit(connection, { sellerId, by: undefined, action: 'webhook.disabled', subject: url, changes })
    return true
  })
  if (isDisabled) log().warn({ seller: sellerId, endpoint: endpointId, reason }, 'webhook endpoint disabled')
}

/** Returns the signing secrets, or undefined if the current one cannot be decrypted. Omits an old one that cannot be decrypted. */
async function readSecrets(sellerId: string, { secret, oldSecret }: Endpoint): Promise<string[] | undefined> {
  const current = await tryUnseal(secret, sellerId)
  if (current === undefined) return undefined
  const old = oldSecret ? await tryUnseal(oldSecret, sellerId) : undefined
  return old === undefined ? [current] : [current, old]
}

/** Returns how many seconds a 429 or 503 response asks us to wait, at most `MAX_RETRY_AFTER`; otherwise 0. */
const readRetryAfter = ({ status, retryAfter = '' }: Attempt): number =>
  status === 429 || status === 503 ? Math.min(parseRetryAfter(retryAfter) ?? 0, MAX_RETRY_AFTER) : 0

/** Returns the seconds until the next attempt, or undefined if there is none. @param count the number of attempts so far */
export function delayAfter(count: number, attempt: Attempt): number | undefined {
  const delay = RETRY_SECONDS[count - 1]
  return delay === undefined ? undefined : Math.max(delay * (1 + JITTER * Math.random()), readRetryAfter(attempt))
}

/**
 * Returns the SQL condition that there was no attempt in the last 30 hours. No index orders an endpoint's attempts by time, so this checks
 * only two: the last attempt to send the newest attempted event, and the last one to send this event, which may be an older one.
 */
const isQuiet = (key: EndpointKey, eventId: string) => sql`coalesce(greatest(
  (select at from ${webhookAttempts} where ${whereEndpoint(key)} order by event_id desc, id desc limit 1),
  (select at from ${webhookAttempts} where ${whereEndpoint(key)} and event_id = ${eventId} order by id desc limit 1)), '-infinity') <= now() - ${QUIET_LIMIT}`

/**
 * Records an attempt, unless an earlier call has recorded it but lost the database's response. A delivery that failed in the meantime,
 * because its endpoint was disabled, is not retried. A failed attempt does not change a delivery that was rescheduled in the meantime.
 * Does not change whether the endpoint is failing if its URL or secret has changed since the attempt started.
 *
 * Each CTE counts the rows of the previous one, so that PostgreSQL runs them in this order. The order prevents deadlocks: other
 * transactions also lock the endpoint before its deliveries.
 *
 * @returns whether the attempt failed and the endpoint has been failing for five days
 */
async function recordAttempt(key: EndpointKey, { url, secret }: Endpoint, due: DueDelivery, attempt: Attempt): Promise<boolean> {
  const { id, data, attempts, nextAt, attemptId } = due
  const { sellerId, endpointId } = key
  const succeeded = isSuccess(attempt)
  const delay = succeeded ? undefined : delayAfter(attempts + 1, attempt)
  const state = succeeded ? 'succeeded' : delay === undefined ? 'failed' : 'pending'
  const response = { sellerId, endpointId, eventId: id, data, body: attempt.responseBody }
  const recorded = sql`from ${webhookAttempts} where ${whereEndpoint(key)} and event_id = ${id} and id = ${attemptId}::text::bigint`
  const isNew = sql`not exists (select ${recorded})`
  const [endpoint] = await database('jobs').query<{ isExpired: boolean; lateId: string | null }>(sql`
    with endpoint as (
      update ${webhookEndpoints} set failing_since = case when ${!succeeded}::bool then now() end
      where seller_id = ${sellerId} and id = ${endpointId} and url = ${url} and secret = ${secret} and ${isNew}
        and ${succeeded ? sql`failing_since is not null` : sql`(failing_since is null or ${isQuiet(key, id)})`}
      returning failing_since
    ), delivery as (
      update ${webhookDeliveries} set state = case when state = 'pending' or ${succeeded}::bool then ${state} else state end, attempts = attempts + 1,
        next_at = now() + ${delay ?? 0}::float8 * interval '1 second'
      where seller_id = ${sellerId} and endpoint_id = ${endpointId} and event_id = ${id}
        and (${succeeded}::bool or next_at = ${nextAt}::text::timestamptz) and (select count(*) from endpoint) >= 0 and ${isNew}
      returning 1
    ), attempt as (
      insert into ${webhookAttempts} (seller_id, endpoint_id, event_id, id, at, status, error, ms, response)
      overriding system value
      select ${sellerId}, ${endpointId}, ${id}, ${attemptId}::text::bigint, now() - ${attempt.ms}::float8 * interval '1 millisecond', ${attempt.status}::int, ${attempt.error},
        ${attempt.ms}::float8, ${storableResponse(response)}
      where (select count(*) from delivery) >= 0 and ${isNew} on conflict do nothing returning id, response
    )
    select coalesce(coalesce((select failing_since from endpoint), failing_since) <= now() - ${FAILING_LIMIT}, false) as "isExpired",
      coalesce((select id::text from attempt where response is null), (select id::text ${recorded} and response is null)) as "lateId"
    from ${webhookEndpoints} where seller_id = ${sellerId} and id = ${endpointId}`)
  if (response.body && endpoint?.lateId) void storeLateResponse(response, endpoint.lateId)
  return !succeeded && endpoint?.isExpired === true
}

/** Returns whether the status is 2xx. */
const isSuccess = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

/**
 * Runs `work`, and retries it while the database is unavailable, up to `RECORD_TRIES` tries in total. If an attempt were not recorded, its
 * event would be sent again.
 */
async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || tries === RECORD_TRIES) throw error
      await pause(100 * tries)
    }
  }
}

/** Sends a due delivery, and records the attempt. Fails the delivery if its event has been deleted. */
async function deliver(key: EndpointKey, endpoint: Endpoint, secrets: string[], due: DueDelivery): Promise<void> {
  const { type } = due
  if (type === null) {
    await database('jobs').query(sql`update ${webhookDeliveries} set state = 'failed' where ${whereEndpoint(key)} and event_id = ${due.id}`)
    return
  }
  const message = signMessage({ ...due, type }, secrets)
  const attempt = await sendMessage(endpoint.url, message, env().WEBHOOK_ALLOW_PRIVATE_ADDRESSES === 'true')
  const succeeded = isSuccess(attempt)
  metrics()?.webhookAttempts.inc({ result: succeeded ? 'succeeded' : 'failed' })
  if (succeeded) metrics()?.webhookDelays.observe((Date.now() - Date.parse(due.createdAt)) / 1000)
  const isExpired = await retryWhileUnavailable(() => recordAttempt(key, endpoint, due, attempt))
  if (attempt.status === 410) await disableEndpoint(key, endpoint, 'gone')
  else if (isExpired) await disableEndpoint(key, endpoint, 'failing')
}

/**
 * Delivers an endpoint's due events until there are none, the endpoint is disabled, or `shouldStop` returns true.
 *
 * @throws {UnavailableError} if the database cannot be reached; the deliveries stay due
 */
export async function deliverDue(key: EndpointKey, shouldStop: () => boolean = () => false): Promise<void> {
  while (!shouldStop()) {
    const endpoint = await readEndpoint(key)
    if (!endpoint) return
    const due = await readDue(key)
    if (due.length === 0) return
    const secrets = await readSecrets(key.sellerId, endpoint)
    if (!secrets) {
      await disableEndpoint(key, endpoint, 'secret_lost')
      return
    }
    // Waits for every delivery, even if one cannot be recorded. Otherwise, the next job would send those in progress a second time.
    const results = await Promise.allSettled(due.map((delivery) => deliver(key, endpoint, secrets, delivery)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
}
