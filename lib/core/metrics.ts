/** What Prometheus is told: requests, durations, connections, admissions, and how late the event loop is. Off without METRICS_TOKEN. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { openedPools } from '@/db/pools'
import { env } from './env'

function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, read: 'active' | 'waiting') =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { load }] of openedPools()) this.set({ pool }, load()[read])
      },
    })
  gauge('desk_pool_in_use', 'Connections to the database that are in use.', 'active')
  gauge('desk_pool_waiting', 'Pieces of work that wait for a connection.', 'waiting')
  return {
    registry,
    requests: new Counter({
      name: 'desk_requests_total',
      help: 'Requests answered.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'desk_request_duration_seconds',
      help: 'From a request’s headers to the end of its answer.',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    droppedRequests: new Counter({
      name: 'desk_request_log_dropped_total',
      help: 'Requests that the request log could not keep.',
      registers,
    }),
    admissions: new Counter({
      name: 'desk_admissions_total',
      help: 'Scans and changes at the door, by what came of them.',
      labelNames: ['outcome'],
      registers,
    }),
  }
}

/** Kept on `globalThis`, for Next's bundle and the server's own modules are two copies of this one and count together. */
const holder = globalThis as typeof globalThis & { checkoutDeskMetrics?: ReturnType<typeof createMetrics> }

function metrics(): ReturnType<typeof createMetrics> | undefined {
  if (env().METRICS_TOKEN === undefined) return undefined
  holder.checkoutDeskMetrics ??= createMetrics()
  return holder.checkoutDeskMetrics
}

/** @param route its pattern, never the path itself: that may hold a code, and would make a series of its own */
export function countRequest(route: string, method: string, status: number, seconds: number): void {
  const all = metrics()
  all?.requests.inc({ route, method, status })
  all?.durations.observe({ route }, seconds)
}

export function countAdmission(outcome: string): void {
  metrics()?.admissions.inc({ outcome })
}

export function countDroppedRequests(count: number): void {
  metrics()?.droppedRequests.inc(count)
}

/** In Prometheus's text format, with its media type; undefined where metrics are off. */
export async function writeMetrics(): Promise<{ text: string; contentType: string } | undefined> {
  const all = metrics()
  return all && { text: await all.registry.metrics(), contentType: all.registry.contentType }
}
