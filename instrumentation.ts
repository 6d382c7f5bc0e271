/** Next's start hook: under plain `next start`, without `server.ts`, the pages and the API need their database too. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { hasDatabase } = await import('./db/client')
  if (hasDatabase()) return
  const { env } = await import('./lib/core/env')
  const { DATABASE_URL } = env()
  if (DATABASE_URL === undefined) throw new Error('Set DATABASE_URL, or start with `npm start`, which brings its own database.')
  const { openPools } = await import('./db/pools')
  openPools(DATABASE_URL)
}
