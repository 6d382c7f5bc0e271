/** Next's hooks for startup and for page errors. */
import type { Instrumentation } from 'next'
import { findActionMessage } from './app/action-error'

/** Opens the database under plain `next start`, which does not run `server.ts`. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { hasDatabase } = await import('./db/client')
  if (hasDatabase()) return
  const { env } = await import('./lib/core/env')
  const { DATABASE_URL } = env()
  if (DATABASE_URL === undefined) throw new Error('Set DATABASE_URL, or start with `npm start`, which includes a database.')
  const { openPools, warmUpPools } = await import('./db/pools')
  openPools(DATABASE_URL)
  // Without this, the first requests would open the connections, and could exceed their time limits on a busy machine. If the database is
  // unavailable, requests report it.
  await warmUpPools().catch(() => {})
}

/**
 * Logs why a page failed, which Next does not log in production. Ignores changes that were rejected because the user has been signed out,
 * or a different user has signed in.
 */
export const onRequestError: Instrumentation.onRequestError = async (thrown, _, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || findActionMessage(thrown) !== undefined) return
  const { logFailure } = await import('./lib/http/respond')
  logFailure(thrown, { route: routePath })
}
