/** The process that renders pages. `lib/http/page-process.ts` starts it, and passes it requests over a socket. */
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { prepareNext } from '@/app/prepare-next'
import { isDriverFault } from '@/db/driver'
import { openPagePool, rebuildPools } from '@/db/pools'
import { isUnavailable } from '@/db/unavailable'
import { KEY_CHANGES, type KeyChange } from '@/lib/accounts/verify-key'
import { logReplicaChange } from '@/lib/core/connect'
import { env } from '@/lib/core/env'
import { setUncaughtHandler } from '@/lib/core/handle-uncaught'
import { log } from '@/lib/core/log'
import { lowerPriority } from '@/lib/core/lower-priority'
import { metrics, readMetrics } from '@/lib/core/metrics'
import { redirectConsole } from '@/lib/core/redirect-console'
import { setAddressSecret } from '@/lib/http/client-address'
import { compressPages, readBuild } from '@/lib/http/compress-pages'
import { METRICS_PATH, type PageMessage, type PageSettings } from '@/lib/http/page-process'
// Next loads this throttle only with the first export. Until then, its metrics would be missing instead of 0.
import '@/lib/listing/export-throttle'

/** Requests have at most 16 KiB of headers, plus those that the server adds. */
const MAX_HEADER_BYTES = 32 * 1024

const send = (message: PageMessage) => process.send?.(message)

/** Exits after an uncaught error; the server then restarts this process. For the driver's known bug, only replaces the pool. */
function handleUncaught(error: unknown): void {
  log().error({ error }, 'uncaught')
  if (isDriverFault(error)) rebuildPools()
  else if (!isUnavailable(error)) process.exit(1)
}

// The server stops this process by disconnecting from it. Signals are often sent to both processes. This one ignores them, because the
// server finishes the running requests first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
const [settings] = (await once(process, 'message')) as [PageSettings]
const { folder, socket, databaseUrl, port, addressSecret } = settings
redirectConsole()
setAddressSecret(addressSecret)
const pool = openPagePool(databaseUrl, env().DATABASE_REPLICA_URL, logReplicaChange)
process.once('disconnect', async () => {
  await Promise.all([pool.close(1), rm(folder, { recursive: true, force: true })])
  process.exit(0)
})
subscribe(KEY_CHANGES, (change) => send({ type: 'key', change: change as KeyChange }))
metrics('pages_')
try {
  const render = compressPages(await prepareNext(port), await readBuild(import.meta.dirname))
  // The server enforces the time limits for requests.
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    if (incoming.url === METRICS_PATH) outgoing.end(JSON.stringify(await readMetrics()))
    else render(incoming, outgoing)
  })
  // By default, Node drops all headers after the first 1,000, which could include those that the server adds at the end.
  server.maxHeadersCount = 0
  server.listen(socket)
  await once(server, 'listening')
  // Emitted if, for example, the system has no memory for another socket. The server accepts connections again once memory is free.
  server.on('error', (error) => log().error({ error }, 'could not accept a connection'))
  setUncaughtHandler(handleUncaught)
  await lowerPriority()
  send({ type: 'ready' })
} catch (error) {
  process.send?.({ type: 'failed', message: error instanceof Error ? error.message : String(error) } satisfies PageMessage, () =>
    process.exit(1),
  )
}
