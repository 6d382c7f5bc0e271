/** Creates webhook endpoints and receivers for tests and reads deliveries from the database. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { seal } from '@/lib/core/seal'
import { textArray } from '@/lib/core/sql'
import { generateSecret } from '@/lib/webhooks/sign'
import { importText, minimal } from './seller'

const servers: ReturnType<typeof createServer>[] = []

/** Stops all receivers. */
export function closeReceivers(): void {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
}

/** A received webhook request. `id` is the event's ID. */
export type ReceivedRequest = { id: string; headers: Record<string, string>; body: string }
type Respond = (incoming: IncomingMessage, outgoing: ServerResponse, received: ReceivedRequest) => void

/** Starts a server that records the requests it receives. By default, it responds with a 200. */
export async function startReceiver(respond: Respond = (_, outgoing) => outgoing.end('ok')) {
  const received: ReceivedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const headers = incoming.headers as Record<string, string>
      const request = { id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() }
      received.push(request)
      respond(incoming, outgoing, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

/** Runs a statement on the test database. @returns its rows */
export const runStatement = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

let endpointCount = 0

/** Adds an endpoint. @param previousSecret the secret before the last rotation, valid for another hour */
export async function addEndpoint(seller: string, url: string, types = ['*'], previousSecret?: string) {
  endpointCount += 1
  const endpointId = `we_${String(endpointCount).padStart(24, '0')}`
  const secret = generateSecret()
  const sealed = await seal(secret, seller)
  const sealedPreviousSecret = previousSecret === undefined ? null : await seal(previousSecret, seller)
  await runStatement(sql`
    insert into webhook_endpoints (seller_id, id, url, events, secret, old_secret, old_secret_until)
    values (${seller}, ${endpointId}, ${url}, ${textArray(types)}, ${sealed}, ${sealedPreviousSecret}, now() + interval '1 hour')`)
  return { sellerId: seller, endpointId, secret }
}
type EndpointKey = { sellerId: string; endpointId: string }

/** Writes `count` events by importing that many coupons. */
export const writeEvents = (seller: string, count = 1) =>
  importText('coupons', seller, Array.from({ length: count }, () => JSON.stringify(minimal('coupons'))).join('\n'), { events: true })

/** Returns the IDs of a seller's events. */
export const eventIds = async (seller: string) =>
  (await runStatement<{ id: string }>(sql`select id from events where seller_id = ${seller}`)).map(({ id }) => id)

/** Returns an endpoint's deliveries. `seconds` is the time left until the next attempt. */
export const listDeliveries = ({ endpointId }: EndpointKey) =>
  runStatement<{ state: string; attempts: number; seconds: number }>(sql`
    select state, attempts, extract(epoch from next_at - now())::float8 as seconds from webhook_deliveries
    where endpoint_id = ${endpointId} order by event_id`)

/** Returns the delivery attempts of an endpoint, oldest first. */
export const listAttempts = ({ endpointId }: EndpointKey) =>
  runStatement<{ status: number | null; error: string | null; response: string | null; ms: number }>(sql`
    select status, error, response, ms from webhook_attempts where endpoint_id = ${endpointId} order by id`)

/** Returns whether an endpoint is enabled, why it was disabled, and whether its deliveries are failing. */
export const readEndpoint = async ({ endpointId }: EndpointKey) =>
  (
    await runStatement<{ enabled: boolean; reason: string | null; failing: boolean }>(sql`
    select enabled, disabled_reason as reason, failing_since is not null as failing from webhook_endpoints where id = ${endpointId}`)
  )[0]

/** Makes all pending deliveries due immediately. */
export const makeDue = () => runStatement(sql`update webhook_deliveries set next_at = now() where state = 'pending'`)
