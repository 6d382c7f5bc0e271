/** Whether the process runs, and whether it can do its work: for whoever starts and watches the server. No key. */

import { isMigrated } from '@/db/migrated'
import { getPool } from '@/db/pools'
import { describeError, log } from '../core/log'
import { defineOpenRoute } from './handler'

/** Set while the server finishes its last requests: nothing new should be sent to it. */
const state = globalThis as typeof globalThis & { checkoutDeskDraining?: boolean }

export function startDraining(): void {
  state.checkoutDeskDraining = true
}

/** What keeps this process from admitting, in a sentence; undefined where nothing does. Too many lists keep no server from its doors. */
export async function readinessProblem(): Promise<string | undefined> {
  if (state.checkoutDeskDraining) return 'The server is shutting down.'
  try {
    return (await isMigrated(getPool('doors')))
      ? undefined
      : 'The database lacks migrations of this version: run `npm run desk -- migrate`.'
  } catch (error) {
    log().debug({ error: describeError(error) }, 'not ready')
    return 'The database does not answer. Check DATABASE_URL, and that PostgreSQL runs.'
  }
}

export const healthRoute = defineOpenRoute(async () => ({ status: 200, body: '{"status":"ok"}' }))

export const readyRoute = defineOpenRoute(async () => {
  const message = await readinessProblem()
  if (message === undefined) return { status: 200, body: '{"status":"ready"}' }
  return { status: 503, body: JSON.stringify({ status: 'unavailable', message }), headers: { 'Retry-After': '1' } }
})
