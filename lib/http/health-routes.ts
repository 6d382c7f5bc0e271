/** Health checks for process supervisors and monitoring: liveness and readiness. They do not require a key. */
import { database } from '@/db/client'
import { isMigrated } from '@/db/is-migrated'
import { isRejection } from '@/db/unavailable'
import { log } from '../core/log'
import { defineOpenRoute, type RouteResult } from './handler'
import type { RouteTable } from './router'

/** Whether the server is draining: it finishes the requests in progress, and should not receive new ones. */
const state = globalThis as typeof globalThis & { checkoutDeskDraining?: boolean }

/** Makes the readiness check fail from now on. */
export function startDraining(): void {
  state.checkoutDeskDraining = true
}

export const isDraining = () => state.checkoutDeskDraining === true

/** Returns a sentence that says why this server cannot admit guests, or undefined if it can. Rejecting lists does not make it unready. */
export async function readinessProblem(): Promise<string | undefined> {
  if (isDraining()) return 'The server is shutting down.'
  try {
    return (await isMigrated(database('doors')))
      ? undefined
      : 'The database is missing migrations for this version: run `npm run desk -- migrate`.'
  } catch (error) {
    log().debug({ error }, 'not ready')
    return isRejection(error)
      ? 'The database rejected the connection or the query. Check DATABASE_URL and the server log.'
      : 'The database does not respond. Check DATABASE_URL, and that PostgreSQL is running.'
  }
}

let running: Promise<string | undefined> | undefined

/** Like `readinessProblem`, but concurrent calls share one query, because it uses a connection that check-in needs. */
function findSharedProblem(): Promise<string | undefined> {
  running ??= readinessProblem().finally(() => {
    running = undefined
  })
  return running
}

export const healthRoute = defineOpenRoute(async () => ({ status: 200, body: '{"status":"ok"}' }), 'GET', 'health')

const toUnready = (message: string): RouteResult => ({
  status: 503,
  body: JSON.stringify({ status: 'unavailable', message }),
  headers: { 'Retry-After': '1' },
})

export const readyRoute = defineOpenRoute(
  async () => {
    const message = await findSharedProblem()
    return message === undefined ? { status: 200, body: '{"status":"ready"}' } : toUnready(message)
  },
  'GET',
  'health',
)

/** The health checks of a server that is starting. */
export const STARTING_ROUTES: RouteTable = [
  { pattern: '/healthz', handle: healthRoute.GET.handle },
  { pattern: '/readyz', handle: defineOpenRoute(async () => toUnready('The server is starting.')).GET.handle },
]
