/** The example responses of operations that change records or validate tickets match the server's responses. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, type Line, makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { decideValidation } from '../../admission/decide'
import type { Ticket } from '../../catalog/ticket'
import { webhookEndpoints } from '../../catalog/webhook-endpoint'
import { writeOperations } from '../../catalog/write-operations'
import type { ImportName } from '../../sync/import/import'
import { addEndpoint } from '../../webhooks/endpoints'
import type { Route } from '../methods'
import { openApiDocument } from './document'

beforeAll(openTestDatabase)

const operations = writeOperations.filter(({ status }) => status !== 204).map((operation) => ({ ...operation, name: operation.id }))

/** Stores the reference's example record, so that an operation can change it. Returns its ID. */
async function addExample(seller: string, name: string, example: Line): Promise<string> {
  if (name !== 'webhook_endpoints') {
    const { sellerId: _, checkIns, latestCheckIn, checkInStatus, metadata, ...line } = example
    await importLines(name as ImportName, seller, [name === 'tickets' ? { ...line, checkIns, checkInStatus, metadata, qrCode: 'x' } : line])
    return String(example.id)
  }
  const { url, events, description, createdAt, updatedAt } = webhookEndpoints.example
  const { id } = JSON.parse(await addEndpoint(seller, undefined, { url, events: [...events], description })) as { id: string }
  await database().use(({ rows }) =>
    rows(
      sql`update webhook_endpoints set created_at = ${createdAt}::text::timestamptz, updated_at = ${updatedAt}::text::timestamptz where id = ${id}`,
    ),
  )
  return id
}

/** The time of a change in the examples. */
const CHANGED = '2026-11-22T09:00:00.000Z'

/**
 * Returns the received record or delivery, with the example's values for members that differ in each run: the seller, new times, and the ID
 * and the secret that the server generates.
 */
function normalize(data: Line, expected: Line, seller: string, begin: string): Line {
  const now = data.updatedAt === undefined || data.createdAt === data.updatedAt ? String(expected.createdAt) : CHANGED
  const text = JSON.stringify(data)
    .replaceAll(seller, String(expected.sellerId))
    .replaceAll(String(data.id ?? data.eventId), String(expected.id ?? expected.eventId))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (time >= begin ? now : time))
    .replace(/whsec_[\w+/=]+/, String(expected.secret))
  return JSON.parse(text) as Line
}

it.each(operations)(
  'the example response for $name is the response to its example request',
  async ({ name, path, method, record, example, status }) => {
    const seller = await makeSeller()
    const { key } = await makeKey(seller)
    const begin = new Date(Date.now() - 60_000).toISOString()
    const id = path.includes('{id}') ? await addExample(seller, record.name, record.example) : ''
    const file = join(process.cwd(), 'app/api', path.replace('{id}', '[id]'), 'route.ts')
    const route = (await import(/* @vite-ignore */ file)) as Route
    const body = example === undefined ? undefined : JSON.stringify(example)
    const request = new Request(`http://x${path.replace('{id}', id)}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(body && { body }),
    })
    const response = await route[method](request, { params: Promise.resolve({ id }) })
    const { data } = (await response.json()) as { data: Line }
    const { responses } =
      Object.values(openApiDocument().paths)
        .flatMap((item) => Object.values(item))
        .find(({ operationId }) => operationId === name) ?? {}
    const { value } = responses?.[status]?.content?.['application/json']?.examples?.record ?? {}
    const { data: expected } = value as { data: Line }
    expect(response.status, JSON.stringify(data)).toBe(status)
    expect(normalize(data, expected, seller, begin)).toEqual(expected)
  },
)

it.each(['already_checked_in', 'canceled'])('the example of a validation with the reason %s has the server’s message', (reason) => {
  const { responses } = openApiDocument().paths['/v1/tickets/validate/{qrCode}']?.post ?? {}
  const { value } = responses?.['200']?.content?.['application/json']?.examples?.[reason] ?? {}
  const { ticket, message } = value as { ticket: Ticket; message: string }
  const [lastAt, now] = [new Date(ticket.updatedAt), new Date()]
  const context = { ticket, lastAt, now, entryPolicy: 'single', extraInside: 0, pageName: undefined, timeZone: 'Europe/Amsterdam' } as const
  const decision = decideValidation(context, { checkIn: true, metadata: [], actorId: 'door' })
  expect(decision).toEqual({ outcome: reason, message })
})
