/** The sealed ticket list: only a ticket's code decrypts its entry, and responses reveal no code, name or email address. */
// @module-tag slow
import { beforeAll, describe, expect, it } from 'vitest'
import { type DeviceRight, listDevices, revokeDevice } from '@/lib/accounts/check-in-devices'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { signIn } from '@/lib/accounts/sign-in'
import { deriveCodeKeys } from '@/lib/admission/code-keys'
import type { TicketListPage } from '@/lib/admission/sealed-ticket'
import { doorRequest, makeDevice, makeOwner, readTicketChanges } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { sessionCookie } from '@/testing/session-cookie'
import { PASSWORD } from '@/testing/users'
import { deriveCodeKey, fromBase64, openEntry, openName, toKey } from '../offline/unseal'
import { POST as scan } from '../scan/route'
import { GET as tickets } from './route'

beforeAll(openTestDatabase)

const STRONG = 'LH7F3A9C0E5D1B8264A7F09C3E5B1D8264'
const WEAK = 'TICKET-0000000001'

/** Creates a shop with a device and two tickets, one with a strong code. @returns the shop, and a function that reads the ticket list */
async function createShop(rights: DeviceRight[]) {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const page = minimal('pages', { name: 'Jazz' })
  await importLines('pages', sellerId, [page])
  const makeTicket = (qrCode: string, customerName: string) =>
    minimal('tickets', {
      qrCode,
      customerName,
      customerEmail: 'ada@example.com',
      pageId: page.id,
      orderId: 'BK-1',
      ticketShortId: qrCode.slice(-4),
    })
  const lines = [makeTicket(STRONG, 'Ada Lovelace'), makeTicket(WEAK, 'Ben Weak')]
  await importLines('tickets', sellerId, lines)
  const device = await makeDevice(sellerId, owner, { rights })
  const read = async (cursor?: string) => {
    const response = await tickets(doorRequest(`/door/tickets${cursor === undefined ? '' : `?cursor=${cursor}`}`, device.cookie))
    return { status: response.status, text: await response.text() }
  }
  return { sellerId, owner, device, lines, read, pageId: String(page.id) }
}

/** Decrypts the entry for a code, as a device does. Returns undefined if the list has none. */
async function find({ entries, indexKey }: TicketListPage, code: string) {
  const { index, key } = await deriveCodeKey(fromBase64(indexKey), code)
  const [ref, , sealed] = entries.find((entry) => entry[1] === index) ?? []
  return ref === undefined || sealed === undefined ? undefined : openEntry(key, ref, fromBase64(sealed))
}

describe('the sealed ticket list', () => {
  it('is returned to the browser’s device, even if a user is signed in', async () => {
    const { owner, device } = await createShop(['offline'])
    const signedIn = await signIn(owner.email, PASSWORD, '192.0.2.1')
    if (signedIn.outcome !== 'signed_in') throw new Error(signedIn.outcome)
    const cookies = `${await sessionCookie(signedIn.sessionId)}; ${device.cookie}`
    const response = await tickets(doorRequest('/door/tickets', cookies))
    expect([response.status, ((await response.json()) as TicketListPage).reset]).toEqual([200, true])
  })

  it('opens with a ticket’s code, and shows at which door the ticket was checked in', async () => {
    const { device, lines, read, pageId } = await createShop(['offline', 'names'])
    await scan(doorRequest('/door/scan', device.cookie, { key: device.id, code: STRONG, checkIn: true }))
    await read()
    await deriveCodeKeys()
    const { status, text } = await read()
    expect(status).toBe(200)
    const page = JSON.parse(text) as TicketListPage
    expect(page).toMatchObject({
      protocol: 1,
      reset: true,
      hasMore: true,
      timeZone: 'UTC',
      events: [{ id: pageId, name: 'Jazz', entryPolicy: 'single' }],
    })
    expect(await find(page, STRONG)).toMatchObject({
      id: lines[0]?.id,
      shortId: '8264',
      pageId,
      isCanceled: false,
      checkInStatus: 'CHECKEDIN',
      last: { status: 'CHECKEDIN', method: 'QRSCAN', gate: 'Gate 2', at: expect.stringMatching(/Z$/) },
      name: 'Ada Lovelace',
      others: 1,
    })
    // The name of a ticket whose code could be guessed stays on the server.
    expect(await find(page, WEAK)).toMatchObject({ id: lines[1]?.id, checkInStatus: 'UNCHECKEDIN', name: null })
    expect(await find(page, `${STRONG}x`)).toBeUndefined()
    const { key } = await deriveCodeKey(fromBase64(page.indexKey), `${STRONG}x`)
    const [ref = '', , sealed = ''] = page.entries[0] ?? []
    await expect(openEntry(key, ref, fromBase64(sealed))).rejects.toThrow()
  })

  it('reveals no code, ID, name, email address or order in any encoding', async () => {
    const { lines, read } = await createShop(['offline', 'names'])
    await read()
    await deriveCodeKeys()
    const { text } = await read()
    const page = JSON.parse(text) as TicketListPage
    expect(page.entries).toHaveLength(2)
    const decoded = page.entries.flat().map((part) => Buffer.from(part ?? '', 'base64url').toString('latin1'))
    const haystack = [text, ...decoded].join('\n').toLowerCase()
    const secrets = [STRONG, WEAK, 'Lovelace', 'Ben Weak', 'ada@', 'BK-1', ...lines.map(({ id }) => String(id))]
    for (const secret of secrets) expect(haystack.includes(secret.toLowerCase()), secret).toBe(false)
  })

  it('omits names for devices that may not see them, and is not sent to devices that may not work offline', async () => {
    const { read } = await createShop(['offline'])
    expect(await find(JSON.parse((await read()).text) as TicketListPage, STRONG)).toMatchObject({ name: null })
    expect((await (await createShop(['names'])).read()).status).toBe(403)
  })

  it('has names for the search if the event and the device allow this, encrypted with a key that only this device has', async () => {
    const { sellerId, owner, read, pageId } = await createShop(['offline', 'names', 'search'])
    const load = async (text: Promise<{ text: string }>) => JSON.parse((await text).text) as TicketListPage
    await read()
    await deriveCodeKeys()
    const before = await load(read())
    expect([before.searchKey, before.entries.map((entry) => entry.length)]).toEqual([undefined, [3, 3]])
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single', offlineSearch: true }, owner)
    const { searchKey = '', entries, reset } = await load(read(before.cursor))
    expect(reset).toBe(false)
    const key = await toKey(fromBase64(searchKey))
    const opened = await Promise.all(entries.map(([ref, , , name = '']) => openName(key, ref, fromBase64(name))))
    expect(opened).toMatchObject([
      { name: 'Ada Lovelace', order: 'BK-1', shortId: '8264', pageId },
      { name: 'Ben Weak', order: 'BK-1', shortId: '0001', pageId },
    ])
    // The decrypted name contains the entry's key, but not the ticket's code.
    const [[ref = '', , sealed = ''] = ['']] = entries
    expect(await openEntry(await toKey(fromBase64(String(opened[0]?.key))), ref, fromBase64(sealed))).toMatchObject({ shortId: '8264' })
    expect(JSON.stringify(opened)).not.toContain(STRONG)
    const others = [{ rights: ['offline', 'names'] }, { rights: ['offline', 'search'] }] as { rights: DeviceRight[] }[]
    for (const settings of others) {
      const { cookie } = await makeDevice(sellerId, owner, settings)
      const list = (await (await tickets(doorRequest('/door/tickets', cookie))).json()) as TicketListPage
      expect([list.searchKey, list.entries.map((entry) => entry.length)]).toEqual([undefined, [3, 3]])
    }
    const { cookie } = await makeDevice(sellerId, owner, { rights: ['offline', 'names', 'search'] })
    const { entries: foreign } = (await (await tickets(doorRequest('/door/tickets', cookie))).json()) as TicketListPage
    const [[otherRef = '', , , otherName = ''] = ['']] = foreign
    await expect(openName(key, otherRef, fromBase64(otherName))).rejects.toThrow()
  })

  it('follows the settings of the event, even after a device has loaded the list', async () => {
    const { sellerId, owner, read, pageId } = await createShop(['offline', 'names'])
    const change = (settings: { offlineAdmission?: boolean; offlineNames?: boolean }) =>
      updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single', ...settings }, owner)
    const first = JSON.parse((await read()).text) as TicketListPage
    const before = await readTicketChanges(sellerId)
    await change({ offlineNames: false })
    const second = JSON.parse((await read(first.cursor)).text) as TicketListPage
    expect(await find(second, STRONG)).toMatchObject({ name: null })
    // The device keeps its list until the new entries arrive.
    expect(second.reset).toBe(false)
    await change({ offlineAdmission: false })
    const { entries, events, cursor } = JSON.parse((await read(second.cursor)).text) as TicketListPage
    expect(events).toMatchObject([{ offlineAdmission: false }])
    await change({ offlineAdmission: true })
    const again = JSON.parse((await read(cursor)).text) as TicketListPage
    expect(await find(again, STRONG)).toMatchObject({ name: null })
    // Changing a setting writes nothing per ticket.
    expect(await readTicketChanges(sellerId)).toEqual(before)
    // Only the references are sent, so that the device removes the entries.
    expect(entries.map((entry) => entry.length)).toEqual([1, 1])
  })

  it('records the number of unsent scans and the clock offset that the device sends with its request', async () => {
    const { sellerId, device } = await createShop(['offline'])
    await tickets(doorRequest('/door/tickets?unsent=3&offset=-240000', device.cookie))
    const [listed] = await listDevices(sellerId)
    expect(listed).toMatchObject({ unsentScans: 3, clockOffsetMs: -240_000 })
  })

  it('is recorded as updated once the device has received its last page', async () => {
    const { sellerId, device, read } = await createShop(['offline'])
    const lines = Array.from({ length: 500 }, (_, index) => minimal('tickets', { qrCode: `${STRONG}${index}` }))
    await importLines('tickets', sellerId, lines)
    const response = await tickets(doorRequest('/door/tickets?unsent=3&offset=0', device.cookie))
    let page = (await response.json()) as TicketListPage
    expect(page.hasMore).toBe(true)
    expect(await listDevices(sellerId)).toMatchObject([{ unsentScans: 3, listedAt: null }])
    while (page.hasMore) page = JSON.parse((await read(page.cursor)).text) as TicketListPage
    expect(await listDevices(sellerId)).toMatchObject([{ unsentScans: 3, listedAt: expect.stringMatching(/Z$/) }])
  })

  it('is not sent to a revoked device', async () => {
    const { sellerId, owner, device, read } = await createShop(['offline'])
    await revokeDevice(sellerId, device.id, owner)
    expect((await read()).status).toBe(401)
  })
})
