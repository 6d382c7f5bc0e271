/**
 * Tests that the event examples in the API reference match real events. The test makes every change that triggers an event, builds the
 * event bodies and compares them with lib/http/openapi/event-examples.json. To update the file, run `EXAMPLES=write npx vitest run
 * app/docs`. A new resource needs no change here, unless other members change along with its status.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, it, vi } from 'vitest'
import { POST as report } from '@/app/door/scans/route'
import { undoCheckIn } from '@/lib/admission/change-ticket'
import { deriveScanKey } from '@/lib/admission/sealed-scan'
import { RESOURCE_NAMES, type ResourceName, resources } from '@/lib/catalog'
import { EVENT_TYPES } from '@/lib/catalog/event-types'
import { EXAMPLE } from '@/lib/catalog/order'
import { pages } from '@/lib/catalog/pages'
import type { Resource } from '@/lib/catalog/resource'
import { tickets } from '@/lib/catalog/ticket'
import type { ImportName } from '@/lib/sync/import/import'
import { signMessage } from '@/lib/webhooks/sign'
import { serializeResult, validate } from '@/testing/admission'
import { doorRequest, makeDevice, makeOwner } from '@/testing/devices'
import { makeTestEvent, readEvents } from '@/testing/events'
import { importLines, importText, type Line, makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { sealScan } from '../door/offline/seal-scan'

vi.mock('next/headers', () => ({ headers: async () => new Headers() }))

beforeAll(openTestDatabase)

const FILE = 'lib/http/openapi/event-examples.json'
const AT = '2026-11-21T19:30:00.000Z'
const EVENT_AT = '2026-11-21T19:30:00.012Z'
const CODE = 'example-ticket-code'

/**
 * Changes to the example records, so that every event type occurs. The record starts as its example with the members in `first`, becomes
 * the example itself, and then gets the members in `last`. Without `last`, it changes to each status that has an event type.
 */
const CHANGES: Partial<Record<ResourceName, { first?: Line; last: Line }>> = {
  payments: { first: { status: 'pending' }, last: { status: 'refunded' } },
  subscriptions: { last: { status: 'canceled', canceledAt: AT, canceledBy: 'customer' } },
  bookings: { first: { status: 'pending' }, last: { status: 'refunded' } },
}

/** Imports the example records, and makes every change to them that triggers an event. Returns the result of `changeTicket`. */
async function makeChanges(seller: string): Promise<Record<string, string>> {
  const write = async (resource: ImportName, line: Line) => {
    const { rejects } = await importText(resource, seller, JSON.stringify(line), { events: true })
    expect(rejects).toEqual([])
  }
  await importLines('pages', seller, [pages.example])
  let replacements: Record<string, string> = {}
  // The booking is last, because its refund cancels the ticket.
  const orderedNames = [...RESOURCE_NAMES.filter((name) => name !== 'bookings'), 'bookings' as const]
  for (const resource of orderedNames) {
    const { example, statusEvents = [] }: Resource = resources[resource]
    const { first = {}, last } = CHANGES[resource] ?? {}
    const others = statusEvents.filter((status) => status !== example.status).map((status) => ({ status }))
    if (resource === 'bookings') replacements = await changeTicket(seller, write)
    await write(resource, { ...example, ...first, updatedAt: example.createdAt })
    await write(resource, example)
    for (const [index, members] of (last ? [last] : others).entries()) {
      await write(resource, { ...example, ...members, updatedAt: new Date(Date.parse(AT) + index).toISOString() })
    }
  }
  return replacements
}

/** Triggers every ticket event and a test event. @returns the replacements for IDs that differ between runs */
async function changeTicket(seller: string, write: (resource: ImportName, line: Line) => Promise<void>): Promise<Record<string, string>> {
  const { checkIns: _, latestCheckIn: _latest, checkInStatus: _status, metadata: _metadata, ...ticket } = tickets.example as Line
  await write('tickets', { ...ticket, qrCode: CODE, customerName: 'Zoe Haddad', updatedAt: ticket.createdAt })
  await write('tickets', { ...ticket, qrCode: CODE })
  const { id: actorId } = await makeKey(seller)
  const id = String(ticket.id)
  const scan = { sellerId: seller, code: CODE, metadata: [{ key: 'gate', value: '2' }], checkIn: true, actorId, body: {} }
  await validate(scan)
  await undoCheckIn({ sellerId: seller, ticketId: id, actorId, sequence: 1, reason: 'wrong guest', body: {} }, serializeResult)
  await validate({ ...scan, metadata: [] })
  const device = await makeDevice(seller, await makeOwner(seller), { rights: ['offline'] })
  const scanId = randomBytes(16).toString('hex')
  const offlineScan = { code: CODE, claimedAt: new Date().toISOString(), clockOffset: 0, decision: 'admitted' as const, isOverride: false }
  const sealed = await sealScan(await deriveScanKey(seller), scanId, offlineScan)
  const response = await report(doorRequest('/door/scans', device.cookie, { protocol: 1, scans: [{ id: scanId, sealed }] }))
  expect(response.status).toBe(200)
  const endpoint = await makeTestEvent(seller)
  return { [actorId]: '6b000000c1d4e5f60a1b2c3d', [endpoint]: 'we_6b01e0a85a117e0002000802' }
}

/** The body of an event. */
type Example = { type: string; timestamp: string; data: unknown }

/** Returns the body of the first event of each type about an example record. Replaces the IDs and times that differ between runs. */
async function readExamples(seller: string, replacements: Record<string, string>): Promise<Example[]> {
  const records = [...Object.values(resources), tickets].map(({ example }) => example)
  const examples = records.map(({ id }) => String(id))
  const events = await readEvents(seller)
  const recordsJson = JSON.stringify(records)
  const normalize = (text: string) =>
    Object.entries({ ...replacements, [seller]: EXAMPLE.seller.sellerId })
      .reduce((all, [from, to]) => all.replaceAll(from, to), text)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => (recordsJson.includes(instant) ? instant : AT))
      .replace(/"checkedInAt":\s*"[^"]+"/g, `"checkedInAt":"${AT.slice(0, 10)}"`)
  const byType = new Map<string, unknown>()
  for (const { type, data } of events) {
    const value = JSON.parse(normalize(data)) as Line
    if (!byType.has(type) && (value.id === undefined || examples.includes(String(value.id)))) byType.set(type, value)
  }
  return Object.keys(EVENT_TYPES).flatMap((type) => {
    const data = byType.get(type)
    return data === undefined
      ? []
      : [JSON.parse(signMessage({ id: 'evt_1', type, createdAt: EVENT_AT, data: JSON.stringify(data) }, []).body) as Example]
  })
}

it('has an up-to-date example of every event type in the API reference', { tags: 'slow' }, async () => {
  const seller = await makeSeller('Europe/Amsterdam')
  const examples = await readExamples(seller, await makeChanges(seller))
  expect(examples.map(({ type }) => type)).toEqual(Object.keys(EVENT_TYPES))
  if (process.env.EXAMPLES === 'write') {
    writeFileSync(FILE, `${JSON.stringify(examples, null, 2)}\n`)
    execFileSync(process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'format', '--write', FILE])
  }
  const stored: unknown = JSON.parse(readFileSync(FILE, 'utf8'))
  const message = `${FILE} is out of date. To update it, run EXAMPLES=write npx vitest run app/docs`
  expect(stored, message).toEqual(examples)
  // The order must be the same too, so that updating the file changes only the lines that differ.
  expect(JSON.stringify(stored), message).toBe(JSON.stringify(examples))
})
