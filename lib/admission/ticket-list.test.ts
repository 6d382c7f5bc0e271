/** A check-in device's ticket list contains all tickets and then every change, no matter when its transaction commits. */
// @module-tag slow
import { createDecipheriv } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { serializeResult } from '@/testing/admission'
import { createDatabase } from '@/testing/postgres'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { validateTicket } from './change-ticket'
import { deriveCodeKeys } from './code-keys'
import { isStrongCode } from './code-strength'
import { deriveIndexKey, deriveKey, deriveRef } from './seal-ticket'
import { decodeTicket, type ListEntry, NONCE_BYTES, TAG_BYTES } from './sealed-ticket'
import { type ListOwner, readTicketList } from './ticket-list'

beforeAll(openTestDatabase)

const STRONG = 'b7Qx2LkP9vRtZ4mWcY8sHdJ3'
const strongCode = (number: number) => `${STRONG}${String(number).padStart(4, '0')}`

const ticket = (number: number, overrides: Line = {}) =>
  minimal('tickets', { qrCode: strongCode(number), customerName: 'Ada', ...overrides })

/** Simulates a device: returns its list, as a map from references to indexes, and a function that updates the list. */
function openList(owner: ListOwner) {
  const entries = new Map<string, string | undefined>()
  let cursor: string | undefined
  /** Loads all changes to the list. @returns the references of the entries that arrived */
  const load = async () => {
    const arrived: string[] = []
    for (;;) {
      const page = await readTicketList(owner, cursor)
      if (page.reset) entries.clear()
      for (const [ref, index] of page.entries) {
        arrived.push(ref)
        if (index === undefined) entries.delete(ref)
        else entries.set(ref, index)
      }
      cursor = page.cursor
      if (!page.hasMore) return arrived
    }
  }
  return { entries, load, setCursor: (next: string) => (cursor = next) }
}

/**
 * Waits for all transactions that are running now, including those of other tests. Until they end, lists repeat the changes made since they
 * started.
 */
async function waitForTransactions(): Promise<void> {
  const read = () =>
    database().use(({ rows }) =>
      rows<{ oldest: string; next: string }>(sql`
      select pg_snapshot_xmin(snapshot)::text as oldest, pg_snapshot_xmax(snapshot)::text as next from pg_current_snapshot() as snapshot`),
    )
  const [before] = await read()
  await vi.waitUntil(async () => BigInt((await read())[0]?.oldest ?? 0) >= BigInt(before?.next ?? 0), 60_000)
}

/** Opens an entry of the list with the ticket's code. */
function openEntry(indexKey: string, code: unknown, [ref, , text = '']: ListEntry) {
  const { key } = deriveKey(Buffer.from(indexKey, 'base64url'), String(code))
  const sealed = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(ref, 'base64url'))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return decodeTicket(decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)).toString())
}

async function openShop(lines: Line[], owner: Partial<ListOwner> = {}) {
  const sellerId = await makeSeller()
  await importLines('tickets', sellerId, lines)
  const indexKey = await deriveIndexKey(sellerId)
  const list = openList({ sellerId, deviceId: 'gate', hasNames: true, maySearch: false, ...owner })
  return { sellerId, list, ref: (line: Line | undefined) => deriveRef(indexKey, String(line?.id)).toString('base64url') }
}

const checkIn = (sellerId: string, line: Line | undefined) =>
  validateTicket({ sellerId, code: String(line?.qrCode), actorId: 'x', checkIn: true, metadata: [], body: {} }, serializeResult)

describe('the ticket list of a device', () => {
  it('contains the time on the database’s clock, even if the server’s clock is wrong', async () => {
    const sellerId = await makeSeller()
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start + 3_600_000 })
    try {
      const { now } = await readTicketList({ sellerId, deviceId: 'gate', hasNames: true, maySearch: false }, undefined)
      expect(now).toBe(new Date(now).toISOString())
      expect(Date.parse(now) - start).toBeGreaterThanOrEqual(0)
      expect(Date.parse(now) - start).toBeLessThan(60_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('contains every ticket, in pages, and then only changes', async () => {
    const lines = Array.from({ length: 1_100 }, (_, index) => ticket(index))
    const { sellerId, list, ref } = await openShop(lines)
    await waitForTransactions()
    expect(await list.load()).toHaveLength(1_100)
    expect(new Set(list.entries.keys())).toEqual(new Set(lines.map(ref)))
    await list.load()
    expect(await list.load()).toEqual([])
    await checkIn(sellerId, lines[7])
    const added = ticket(2_000)
    await importLines('tickets', sellerId, [added])
    await waitForTransactions()
    expect(new Set(await list.load())).toEqual(new Set([ref(lines[7]), ref(added)]))
    // There are more changes than fit on one page.
    await importLines(
      'tickets',
      sellerId,
      lines.map((line) => ({ ...line, customerName: 'Ben' })),
    )
    expect(new Set(await list.load())).toEqual(new Set(lines.map(ref)))
  })

  it.each([
    ['BK-1', 1],
    ['', 0],
  ])('contains the number of other tickets with the order ID %j: %i', async (orderId, others) => {
    const lines = [ticket(0, { orderId }), ticket(1, { orderId })]
    const { sellerId, ref } = await openShop(lines)
    const { entries, indexKey } = await readTicketList({ sellerId, deviceId: 'gate', hasNames: true, maySearch: false }, undefined)
    const entry = entries.find(([entryRef]) => entryRef === ref(lines[0])) ?? ['']
    expect(openEntry(indexKey, lines[0]?.qrCode, entry)).toMatchObject({ id: lines[0]?.id, others })
  })

  it('counts at most 51 other tickets of an order, because it can contain every ticket for an event', async () => {
    const lines = Array.from({ length: 53 }, (_, number) => ticket(number, { orderId: 'BK-1' }))
    const { sellerId, ref } = await openShop(lines)
    const { entries, indexKey } = await readTicketList({ sellerId, deviceId: 'gate', hasNames: true, maySearch: false }, undefined)
    const entry = entries.find(([entryRef]) => entryRef === ref(lines[0])) ?? ['']
    expect(openEntry(indexKey, lines[0]?.qrCode, entry)).toMatchObject({ others: 51 })
  })

  it.each([
    ['another seller', async () => ({ sellerId: await makeSeller(), deviceId: 'gate' })],
    ['another device of the seller', async (sellerId: string) => ({ sellerId, deviceId: 'gate 2' })],
  ])('does not wait for all requests from a device that floods the server: %s', async (_, makeOther) => {
    const { sellerId } = await openShop([ticket(0)])
    const other = await makeOther(sellerId)
    let done = 0
    const read = (owner: { sellerId: string; deviceId: string }) =>
      readTicketList({ ...owner, hasNames: true, maySearch: false }, undefined)
    const flood = Array.from({ length: 100 }, () => read({ sellerId, deviceId: 'gate' }).then(() => (done += 1)))
    await read(other)
    expect(done).toBeLessThan(20)
    await Promise.all(flood)
  })

  it('includes a change that commits after newer ones were already loaded', async () => {
    const lines = [ticket(0), ticket(1)]
    const { sellerId, list, ref } = await openShop(lines)
    await list.load()
    await list.load()
    let commit = () => {}
    let start = () => {}
    const started = new Promise<void>((resolve) => (start = resolve))
    const slow = database().transaction(async ({ rows }) => {
      await rows(sql`update tickets set door_at = now() where seller_id = ${sellerId} and id = ${lines[0]?.id}`)
      start()
      await new Promise<void>((resolve) => (commit = resolve))
    })
    await started
    await checkIn(sellerId, lines[1])
    // A transaction of another test may make the list repeat entries that it has already sent.
    expect(await list.load()).toContain(ref(lines[1]))
    commit()
    await slow
    expect(await list.load()).toContain(ref(lines[0]))
  })

  it('drops deleted tickets, and updates changed codes', async () => {
    const lines = [ticket(0), ticket(1)]
    const { sellerId, list, ref } = await openShop(lines)
    await list.load()
    const before = list.entries.get(ref(lines[1]))
    await database().use(({ rows }) => rows(sql`delete from tickets where seller_id = ${sellerId} and id = ${lines[0]?.id}`))
    await importLines('tickets', sellerId, [{ ...lines[1], qrCode: strongCode(99) }])
    await list.load()
    expect([...list.entries.keys()]).toEqual([ref(lines[1])])
    expect(list.entries.get(ref(lines[1]))).not.toBe(before)
  })

  it('contains only tickets for the device’s events, and drops a ticket that is moved to another event', async () => {
    const [jazz, choir] = ['a'.repeat(24), 'b'.repeat(24)]
    const lines = [ticket(0, { pageId: jazz }), ticket(1, { pageId: jazz }), ticket(2, { pageId: choir }), ticket(3)]
    const { sellerId, list, ref } = await openShop(lines, { pageIds: [jazz] })
    await list.load()
    expect(new Set(list.entries.keys())).toEqual(new Set([ref(lines[0]), ref(lines[1])]))
    await importLines('tickets', sellerId, [{ ...lines[0], pageId: choir }])
    await list.load()
    expect([...list.entries.keys()]).toEqual([ref(lines[1])])
  })

  it('starts over if the cursor is invalid, or is from another server or device', async () => {
    const { sellerId, list } = await openShop([ticket(0)])
    await list.load()
    const owner = { sellerId, deviceId: 'gate', hasNames: true, maySearch: false }
    const { cursor } = await readTicketList(owner, undefined)
    const decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Line
    const toCursor = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
    for (const foreign of [{ ...decoded, since: '99999999999' }, { ...decoded, list: '00000000' }, { phase: 'all' }]
      .map(toCursor)
      .concat('x', '')) {
      const page = await readTicketList(owner, foreign)
      expect([page.reset, page.entries.length]).toEqual([true, 1])
    }
    // This happens if a browser is set up again as a device with other events and rights.
    expect(await readTicketList({ ...owner, deviceId: 'other' }, cursor)).toMatchObject({ reset: true })
  })

  it('starts over if the database has been restored as another one', async () => {
    const { sellerId, list } = await openShop([ticket(0)])
    await list.load()
    expect(list.entries.size).toBe(1)
    const copy = await createDatabase(String(process.env.TEST_DATABASE_URL))
    const pool = openDatabase({ url: copy.url })
    onTestFinished(async () => {
      await pool.close(0)
      await copy.drop()
    })
    const original = database()
    setDatabase(pool)
    try {
      await pool.use(({ rows }) => rows(sql`insert into sellers (id, name, time_zone) values (${sellerId}, 'Test', 'UTC')`))
      // The databases are in the same cluster, so the cursor's transaction is in the past, as it is in a new cluster after some time.
      await list.load()
      expect(list.entries.size).toBe(0)
    } finally {
      setDatabase(original)
    }
  })

  it('contains tickets with weak codes once their keys are derived', async () => {
    const lines = [ticket(0), minimal('tickets', { qrCode: 'TICKET-0000000001' })]
    const { list, ref } = await openShop(lines)
    await list.load()
    expect([...list.entries.keys()]).toEqual([ref(lines[0])])
    await deriveCodeKeys()
    expect(await list.load()).toContain(ref(lines[1]))
  })
})

it.each([
  ['TICKET-0000000001', false],
  ['12345678901234567890', false],
  ['ABCD-EFGH-JKMN', false],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', false],
  ['', false],
  ['LH7F3A9C0E5D1B8264A7F09C3E5B1D8264', true],
  ['3f2b8c1e-7d4a-4e9b-a6f0-5c8d2e1b9a73', true],
  ['SUMMERFESTIVAL2026-VIP-000123', false],
  ['SummerFestival2026VipTicket000123', false],
  ['https://tickets.example.com/t/000123', false],
  ['https://tickets.example.com/t/K7qW2xZr9LmT4vBn8HcYs3Dj', true],
  [STRONG, true],
])('the code %s counts as strong: %s', (code, isStrong) => {
  expect(isStrongCode(code)).toBe(isStrong)
})
