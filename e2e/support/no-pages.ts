/** Replaces the process that renders pages in tests that open no pages, which saves two seconds of CPU time per start. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { PageMessage, PageSettings } from '@/lib/http/page-process'

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.once('disconnect', () => process.exit(0))
const [{ socket }] = (await once(process, 'message')) as [PageSettings]
// The server requests metrics from this process, which has none.
const server = createServer((_, outgoing) => outgoing.writeHead(503).end('[]'))
server.listen(socket)
await once(server, 'listening')
process.send?.({ type: 'ready' } satisfies PageMessage)
