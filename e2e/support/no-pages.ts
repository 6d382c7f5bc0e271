/** Replaces the process that renders pages in servers whose pages no test opens, which saves two seconds of processor time per start. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { PageMessage, PageSettings } from '@/lib/http/page-process'

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.once('disconnect', () => process.exit(0))
const [{ socket }] = (await once(process, 'message')) as [PageSettings]
// The server requests this process's metrics; there are none.
const server = createServer((_, outgoing) => outgoing.writeHead(503).end('[]'))
server.listen(socket)
await once(server, 'listening')
process.send?.({ type: 'ready' } satisfies PageMessage)
