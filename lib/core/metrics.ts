/**
 * Prometheus metrics of requests, connections, throttles, webhooks, Stripe events, check-in and the Node.js processes. Disabled unless
 * METRICS_TOKEN is set.
 */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { openedPools } from '@/db/client'
import { type Load, reportedLoads } from '@/db/semaphore'
import { env } from './env'

const poolLoads = (): Iterable<[string, Load]> => openedPools().map(([name, { load }]) => [name, load()])

function createMetrics(prefix: string) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix })
  const gauge = (name: string, help: string, label: string, loads: () => Iterable<[string, Load]>, member: keyof Load) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        for (const [value, load] of loads()) this.set({ [label]: value }, load[member])
      },
    })
  const counter = (name: string, help: string, label: string, loads: () => Iterable<[string, Load]>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [value, load] of loads()) this.inc({ [label]: value }, load.refused)
      },
    })
  gauge('desk_pool_in_use', 'Database connections in use.', 'pool', poolLoads, 'active')
  gauge('desk_pool_waiting', 'Callers waiting for a connection.', 'pool', poolLoads, 'waiting')
  counter('desk_pool_refused_total', 'Callers refused a connection.', 'pool', poolLoads)
  gauge('desk_throttle_active', 'Operations running under a throttle.', 'throttle', reportedLoads, 'active')
  gauge('desk_throttle_waiting', 'Operations waiting for a throttle.', 'throttle', reportedLoads, 'waiting')
  counter('desk_throttle_refused_total', 'Operations refused by a throttle.', 'throttle', reportedLoads)
  const stripeEvents = new Counter({
    name: 'desk_stripe_events_total',
    help: 'Attempts to process Stripe events, by result.',
    labelNames: ['result'],
    registers,
  })
  // Starts at 0, because `increase` in Prometheus ignores a counter's first value, so an alert would miss the first failure.
  stripeEvents.inc({ result: 'failed' }, 0)
  return {
    registry,
    stripeEvents,
    /** Labeled with the route's pattern, because a path can contain a ticket code, and each code would create another time series. */
    requests: new Counter({
      name: 'desk_requests_total',
      help: 'Requests handled.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'desk_request_duration_seconds',
      help: 'Time from receiving the request’s headers to the end of the response, in seconds.',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    droppedRequests: new Counter({
      name: 'desk_request_log_dropped_total',
      help: 'Requests dropped from the request log.',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'desk_webhook_attempts_total',
      help: 'Attempts to deliver events to webhook endpoints, by result.',
      labelNames: ['result'],
      registers,
    }),
    webhookDelays: new Histogram({
      name: 'desk_webhook_delay_seconds',
      help: 'Time from an event to its successful delivery, in seconds.',
      buckets: [0.5, 1, 2, 5, 10, 60, 600, 3600, 21_600, 86_400, 345_600],
      registers,
    }),
    admissions: new Counter({
      name: 'desk_admissions_total',
      help: 'Scans, check-outs, previews and manual check-ins that the server decided, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
  }
}

/** Stored on `globalThis`, because Next's bundle and the server have separate copies of this module but must share the counts. */
const holder = globalThis as typeof globalThis & { checkoutDeskMetrics?: ReturnType<typeof createMetrics> | null }

/**
 * Returns the metrics, or undefined if metrics are disabled.
 *
 * @param prefix the prefix of the Node.js process metrics; ignored after the first call
 */
export function metrics(prefix = ''): ReturnType<typeof createMetrics> | undefined {
  if (holder.checkoutDeskMetrics === undefined)
    holder.checkoutDeskMetrics = env().METRICS_TOKEN === undefined ? null : createMetrics(prefix)
  return holder.checkoutDeskMetrics ?? undefined
}

/** A process's metrics in prom-client's JSON format. */
export type MetricValues = { name: string }[]

/** Returns the metrics of this process as JSON; empty if metrics are disabled. */
export const readMetrics = async (): Promise<MetricValues> => (await metrics()?.registry.getMetricsAsJSON()) ?? []

let readOther: (() => Promise<MetricValues>) | undefined

/** Sets the function that reads the metrics of the server's other process. */
export function setOtherMetrics(read: () => Promise<MetricValues>): void {
  readOther = read
}

/** Keeps the metrics that prom-client omits when it aggregates, such as a process's start time. Uses the value of the server process. */
const keepAll = (values: MetricValues) =>
  values.map((metric) => ('aggregator' in metric && metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric))

/**
 * Returns the metrics of all processes in the Prometheus text format, and its media type. Returns undefined if metrics are disabled.
 * Metrics with the same name are summed.
 */
export async function writeMetrics(): Promise<{ text: string; contentType: string } | undefined> {
  const enabled = metrics()
  if (!enabled) return undefined
  const all = await Promise.all([readMetrics(), readOther?.() ?? []])
  return { text: await AggregatorRegistry.aggregate(all.map(keepAll)).metrics(), contentType: enabled.registry.contentType }
}
