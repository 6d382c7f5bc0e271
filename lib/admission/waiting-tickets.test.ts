/** A device's ticket list states how many tickets it lacks because the keys for their weak codes have not been derived yet. */
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeOwner } from '@/testing/devices'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { updateCheckoutPage } from '../accounts/checkout-pages'
import { deriveCodeKeys, requestCodeKeys } from './code-keys'
import { codeDigest, deriveIndexKey } from './seal-ticket'
import { readTicketList } from './ticket-list'

// Uses its own database, because other tests derive the keys of all sellers.
withOwnDatabase()

const STRONG = 'K7qW2xZr9LmT4vBn8HcYs3Dj0001'
const WEAK = 'TICKET-0000000001'
const makeWeak = (number: number, overrides: Line = {}) => minimal('tickets', { qrCode: `TICKET-000000000${number}`, ...overrides })

describe('the ticket list of a device', () => {
  it('contains the number of waiting tickets on every page until their keys have been derived', { tags: 'slow' }, async () => {
    const sellerId = await makeSeller()
    const [jazz, choir] = [minimal('pages', { name: 'Jazz' }), minimal('pages', { name: 'Choir' })]
    await importLines('pages', sellerId, [jazz, choir])
    const lines = [makeWeak(1, { pageId: jazz.id }), makeWeak(2, { pageId: jazz.id }), makeWeak(3, { pageId: choir.id }), makeWeak(4)]
    await importLines('tickets', sellerId, [...lines, minimal('tickets', { qrCode: STRONG })])
    const owner = { sellerId, deviceId: 'gate', hasNames: false, maySearch: false }
    const read = async (pageIds?: string[], cursor?: string) => readTicketList({ ...owner, ...(pageIds && { pageIds }) }, cursor)
    const first = await read()
    expect([first.waiting, first.entries.length]).toEqual([4, 5])
    expect((await read(undefined, first.cursor)).waiting).toBe(4)
    const jazzList = await read([String(jazz.id)])
    expect(jazzList.waiting).toBe(2)

    await updateCheckoutPage(
      sellerId,
      String(choir.id),
      { name: 'Choir', entryPolicy: 'single', offlineAdmission: false },
      await makeOwner(sellerId),
    )
    await database().use(({ rows }) => rows(sql`delete from tickets where seller_id = ${sellerId} and id = ${lines[0]?.id}`))
    const fewer = await read(undefined, first.cursor)
    expect(fewer.waiting).toBe(2)
    expect((await read([String(jazz.id)], jazzList.cursor)).waiting).toBe(1)

    await deriveCodeKeys()
    const last = await read(undefined, fewer.cursor)
    // An update may repeat tickets from the previous one.
    const list = new Set<string>()
    for (const [key, index] of [first, fewer, last].flatMap(({ entries }) => entries)) {
      if (index) list.add(key)
      else list.delete(key)
    }
    expect([last.waiting, list.size]).toEqual([0, 3])
  })

  it('no longer contains a ticket whose code has changed to a weak one', async () => {
    const sellerId = await makeSeller()
    const line = minimal('tickets', { qrCode: STRONG })
    await importLines('tickets', sellerId, [line])
    const owner = { sellerId, deviceId: 'gate', hasNames: false, maySearch: false }
    const { cursor, entries } = await readTicketList(owner, undefined)
    await importLines('tickets', sellerId, [{ ...line, qrCode: WEAK }])
    expect((await readTicketList(owner, cursor)).entries).toEqual([[entries[0]?.[0]]])
  })

  it('keeps a key that was derived before a slower device requested it too, and discards it if the code has changed', async () => {
    const sellerId = await makeSeller()
    const line = makeWeak(2)
    await importLines('tickets', sellerId, [line])
    const owner = { sellerId, deviceId: 'gate', hasNames: false, maySearch: false }
    await readTicketList(owner, undefined)
    await deriveCodeKeys()
    const digest = codeDigest(await deriveIndexKey(sellerId), String(line.qrCode)).toString('hex')
    await requestCodeKeys(sellerId, [{ ticketId: String(line.id), digest }])
    const { cursor, entries, waiting } = await readTicketList(owner, undefined)
    expect([waiting, entries[0]]).toEqual([0, expect.objectContaining({ length: 3 })])
    await importLines('tickets', sellerId, [{ ...line, qrCode: WEAK }])
    expect((await readTicketList(owner, cursor)).waiting).toBe(1)
    await deriveCodeKeys()
    expect((await readTicketList(owner, undefined)).waiting).toBe(0)
  })

  it('requests a ticket’s key only once', async () => {
    const sellerId = await makeSeller()
    await importLines('tickets', sellerId, [makeWeak(1)])
    const owner = { sellerId, deviceId: 'gate', hasNames: false, maySearch: false }
    /** Returns the last transaction that wrote the request. */
    const readWriter = () => database().use(({ rows }) => rows(sql`select xmin::text from ticket_code_keys where seller_id = ${sellerId}`))
    expect((await readTicketList(owner, undefined)).waiting).toBe(1)
    const [first] = await readWriter()
    expect((await readTicketList(owner, undefined)).waiting).toBe(1)
    expect(await readWriter()).toEqual([first])
  })
})
