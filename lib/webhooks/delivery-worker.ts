/** Delivers events, sharing the work with other servers. There is one job per endpoint, so that a slow endpoint does not delay others. */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type PgBoss from 'pg-boss'
import { database } from '@/db/client'
import { webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { reportLoad } from '@/db/semaphore'
import { log } from '../core/log'
import { deliverDue, type EndpointKey } from './deliver'
import { failDeliveriesOfDisabledEndpoints } from './endpoints'

const QUEUE = 'webhooks'
/** How often the worker looks for due deliveries, in milliseconds. */
const TICK_MS = 1_000
/** The maximum number of endpoints that a server delivers to concurrently. */
const MAX_CONCURRENT_ENDPOINTS = 50
/**
 * Makes pg-boss keep at most one waiting or active job per endpoint: it allows one per key and period, and finished jobs are deleted.
 * Otherwise, two servers that find the same endpoint could both insert a job, and both jobs would send every event.
 */
const ONE_JOB = { singletonSeconds: 2 ** 31 - 1, retryLimit: 2 ** 31 - 1 }
/**
 * How long a job runs before its endpoint goes to the end of the queue, in milliseconds. It is short enough for attempts in progress to
 * finish before the job expires.
 */
const TURN_MS = 20_000

/** Selects the endpoints that have due deliveries and are not queued, and whether jobs are waiting. */
const DUE = sql`
  select (
    select json_agg(json_build_object('sellerId', endpoint.seller_id, 'endpointId', endpoint.id))::text from ${webhookEndpoints} as endpoint
    where endpoint.enabled and exists (
      select from ${webhookDeliveries} as delivery where delivery.seller_id = endpoint.seller_id and delivery.endpoint_id = endpoint.id
        and delivery.state = 'pending' and delivery.next_at <= now())
      and not exists (select from pgboss.job where name = ${QUEUE} and singleton_key = endpoint.id and state < 'completed')) as due,
    exists (select from pgboss.job where name = ${QUEUE} and state < 'active' and start_after <= now()) as "isWaiting"`

/** Starts the worker. @returns a function that stops it, after the running attempts have finished */
export function startDelivery(queue: PgBoss): () => Promise<void> {
  const abortController = new AbortController()
  const running = new Set<Promise<void>>()
  let waiting = 0
  reportLoad(QUEUE, () => ({ active: running.size, waiting, refused: 0 }))

  const runJob = async (id: string, key: EndpointKey) => {
    const end = performance.now() + TURN_MS
    try {
      await deliverDue(key, () => abortController.signal.aborted || performance.now() >= end)
      await queue.deleteJob(QUEUE, id)
    } catch (error) {
      log().warn({ endpoint: key.endpointId, error }, 'could not deliver webhooks')
      await queue.deleteJob(QUEUE, id).catch(() => {})
    }
  }

  const tick = async () => {
    // If this fails, the enabled endpoints must still receive events.
    await failDeliveriesOfDisabledEndpoints().catch((error: unknown) =>
      log().warn({ error }, 'could not mark the deliveries of disabled webhook endpoints as failed'),
    )
    const [found] = await database('jobs').query<{ due: string | null; isWaiting: boolean }>(DUE)
    const due = JSON.parse(found?.due ?? '[]') as EndpointKey[]
    waiting = due.length
    if (due.length > 0) {
      // An operator may have completed or failed a job with pg-boss's tools. Such a job would keep its endpoint from being queued.
      await database('jobs').query(sql`delete from pgboss.job where name = ${QUEUE} and state >= 'completed'`)
      await queue.insert(due.map((key) => ({ name: QUEUE, data: key, singletonKey: key.endpointId, ...ONE_JOB })))
    }
    const free = MAX_CONCURRENT_ENDPOINTS - running.size
    if ((due.length === 0 && !found?.isWaiting) || free <= 0) return
    for (const { id, data } of await queue.fetch<EndpointKey>(QUEUE, { batchSize: free })) {
      const key = typeof data === 'string' ? (JSON.parse(data) as EndpointKey) : data
      const job = runJob(id, key)
      running.add(job)
      void job.finally(() => running.delete(job))
    }
  }

  const loop = async () => {
    while (!abortController.signal.aborted) {
      await tick().catch((error: unknown) => log().debug({ error }, 'could not start the due webhook deliveries'))
      await pause(TICK_MS, undefined, { signal: abortController.signal, ref: false }).catch(() => {})
    }
    await Promise.all(running)
  }
  const ended = loop()
  return () => {
    abortController.abort()
    return ended
  }
}
