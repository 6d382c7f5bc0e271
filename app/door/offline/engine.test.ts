/** An offline check-in device with the real routes and database: its decisions, its queue, reconnecting, and what it stores. */
// @module-tag slow
import 'fake-indexeddb/auto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { revokeDevice } from '@/lib/accounts/check-in-devices'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { openTicket } from '@/lib/admission/open-ticket'
import type { CodeSource } from '@/lib/admission/scan-source'
import type { TicketListPage } from '@/lib/admission/sealed-ticket'
import { countTurnout } from '@/lib/admission/turnout'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { backdateRevocation, doorRequest, makeDevice } from '@/testing/devices'
import { type NetworkLine, newId, openDevice, openShop, readKind, scan, strongCode } from '@/testing/offline-device'
import { importLines, minimal, openTestDatabase } from '@/testing/seller'
import { beginChange } from '../door-client'
import { POST as reportScans } from '../scans/route'
import { sendScan } from '../send-scan'
import { POST as undoChange } from '../undo/route'
import type { Offline } from '../use-offline'
import { createEngine } from './engine'
import { deleteStore } from './store'
import { deriveCodeKey, fromBase64 } from './unseal'

beforeAll(openTestDatabase)
afterEach(() => void vi.unstubAllGlobals())

const MINUTE = 60_000
const DAY = 86_400_000

describe('a device that loses the network', () => {
  it('decides with its list, and reports everything after reconnecting', async () => {
    const { make, history } = await openShop(3)
    const device = await make()
    await device.engine.synchronize()
    expect(await scan(device, strongCode(0))).toBe('server admitted')
    device.network.line = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
    // Scans copies of both tickets. This device has already admitted the first ticket online and the second one offline.
    expect([await scan(device, strongCode(1)), await scan(device, strongCode(0))]).toEqual([
      'local already_checked_in',
      'local already_checked_in',
    ])
    expect(await scan(device, 'no-such-code')).toBe('local unknown')
    // Only the guest whom this device let in while offline is missing from the server's counts.
    const moves = [{ pageId: null, inside: 1, attended: 1 }]
    expect(await device.engine.status()).toMatchObject({ isOffline: true, tickets: 3, unsent: 4, isComplete: true, moves })
    expect(await device.engine.synchronize()).toBe(false)
    expect(await device.engine.status()).toMatchObject({ unsent: 4, moves })
    device.network.line = 'up'
    expect(await device.engine.synchronize()).toBe(true)
    expect(await device.engine.status()).toMatchObject({ isOffline: false, unsent: 0, moves: [] })
    expect(await history(1)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await scan(device, strongCode(2))).toBe('server admitted')
    // The list includes this device's own check-ins by now.
    device.network.line = 'down'
    expect(await scan(device, strongCode(1))).toBe('local already_checked_in')
  })

  it.each(['silent', 'stalled'] as const)(
    'decides locally if the server does not respond in time (%s), and counts a scan once even if the server has also decided it',
    async (line) => {
      const { sellerId, make, history } = await openShop(2)
      const device = await make()
      await device.engine.synchronize()
      device.network.line = 'lost'
      expect(await scan(device, strongCode(0))).toBe('local admitted')
      device.network.line = 'up'
      await device.engine.synchronize()
      device.network.line = line
      const engine = createEngine({ store: device.store, send: device.send, exclusively: (_, work) => work(), timeoutMs: 200 })
      const start = performance.now()
      expect(await scan({ engine }, strongCode(1))).toBe('local admitted')
      expect(performance.now() - start).toBeGreaterThanOrEqual(190)
      device.network.line = 'up'
      await engine.synchronize()
      expect([await history(0), await history(1)]).toEqual([[['CHECKEDIN', 'Gate 1']], [['CHECKEDIN', 'Gate 1']]])
      expect(await listConflicts(sellerId)).toEqual([])
    },
  )

  it('counts its scans while they are being sent, and afterward until the server’s counts include them', async () => {
    const { make } = await openShop(3)
    const device = await make()
    const moves = [{ pageId: null, inside: 1, attended: 1 }]
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ moves: [], delivered: [], isCountUncertain: false })
    device.network.line = 'down'
    await scan(device, strongCode(0))
    expect(await device.engine.status()).toMatchObject({ moves, delivered: [], isCountUncertain: true })
    device.network.line = 'up'
    // The server has recorded the scan by now, but the page does not know this yet.
    let whileSending: unknown
    device.network.onList = async () => {
      whileSending = await device.engine.status()
    }
    await device.engine.synchronize()
    expect(whileSending).toMatchObject({ unsent: 0, moves, delivered: [], isCountUncertain: true })
    for (let index = 0; index < 2; index += 1) {
      expect(await device.engine.status()).toMatchObject({ moves: [], delivered: moves, isCountUncertain: false })
      await device.engine.synchronize()
    }
    device.engine.forgetDelivered()
    expect(await device.engine.status()).toMatchObject({ moves: [], delivered: [] })
  })

  it('does not treat the server’s counts as uncertain if the server rejects a scan', async () => {
    const { make } = await openShop(1)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    await scan(device, strongCode(0))
    Object.assign(device.network, { line: 'up', refuse: () => true })
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 1, moves: { length: 1 }, delivered: [], isCountUncertain: false })
  })

  it('continues after its page was killed, with its list and its unsent scans', async () => {
    const { make, history } = await openShop(2)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    await scan(device, strongCode(0))
    const next = await openDevice(device.cookie, device.storage)
    next.network.line = 'down'
    expect([await scan(next, strongCode(0)), await scan(next, strongCode(1))]).toEqual(['local already_checked_in', 'local admitted'])
    next.network.line = 'up'
    await next.engine.synchronize()
    expect([await history(0), await history(1)]).toEqual([[['CHECKEDIN', 'Gate 1']], [['CHECKEDIN', 'Gate 1']]])
  })

  it('changes nothing on the device if it refuses a check-out', async () => {
    const { sellerId, owner, tickets, make } = await openShop(2, {}, true)
    const pageId = String(tickets[0]?.pageId)
    const other = minimal('pages', { name: 'Blues' })
    await importLines('pages', sellerId, [other])
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    const device = await make('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    const move = async (index: number, direction: 'in' | 'out', door: string) =>
      readKind(await device.engine.scan({ id: newId(), code: strongCode(index), checkIn: true, direction, pageId: door }))
    expect(await move(0, 'in', pageId)).toBe('server admitted')
    device.network.line = 'down'
    expect([await move(0, 'out', String(other.id)), await move(0, 'in', pageId)]).toEqual(['local other_event', 'local already_checked_in'])
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single' }, owner)
    device.network.line = 'up'
    await device.engine.synchronize()
    device.network.line = 'down'
    expect([await move(1, 'out', pageId), await move(1, 'in', pageId)]).toEqual(['local not_checked_in', 'local admitted'])
    expect([await move(1, 'out', pageId), await move(1, 'in', pageId)]).toEqual(['local checked_out', 'local already_checked_in'])
    device.network.line = 'up'
    await device.engine.synchronize()
    expect(await listConflicts(sellerId)).toEqual([])
  })

  it('shows and reports how a code was read', async () => {
    const { sellerId, tickets, make } = await openShop(2)
    const device = await make()
    const read = (code: string, source: CodeSource) => device.engine.scan({ id: newId(), code, source, checkIn: true, pageId: undefined })
    await device.engine.synchronize()
    expect(await readKind(await read(strongCode(0), 'camera'))).toBe('server admitted')
    device.network.line = 'down'
    expect(await readKind(await read(strongCode(1), 'scanner'))).toBe('local admitted')
    const messages = async () => {
      const again = [await read(strongCode(0), 'typed'), await read(strongCode(1), 'typed')]
      return again.map((result) => (result.by === 'device' ? result.decision.message : undefined))
    }
    const expected = [/ by QR scan$/, / by scanner$/].map((way) => expect.stringMatching(way))
    expect(await messages()).toEqual(expected)
    device.network.line = 'up'
    await device.engine.synchronize()
    const sources = tickets.map(async ({ id }) => (await openTicket(sellerId, String(id), undefined)).history.map(({ source }) => source))
    expect(await Promise.all(sources)).toEqual([['camera'], ['scanner']])
    // Another device gets the source from the list.
    const other = await make('Gate 2')
    await other.engine.synchronize()
    other.network.line = 'down'
    const listed = await other.engine.scan({ id: newId(), code: strongCode(1), checkIn: true, pageId: undefined })
    expect(listed).toMatchObject({ by: 'device', decision: { message: expected[1] } })
  })

  it('shows the current number of tickets, even if the number was also read while the list was still loading', async () => {
    const { sellerId, make } = await openShop(1)
    const device = await make()
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    device.network.onList = device.engine.status
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 2 })
  })

  it('does not check tickets before its list is complete', async () => {
    const { make } = await openShop(1)
    const device = await make()
    device.network.line = 'down'
    expect(await scan(device, strongCode(0))).toBe('none')
    expect(await device.engine.status()).toMatchObject({ isComplete: false, unsent: 0 })
  })

  it('at a door for all events, leaves unlisted codes undecided while one of the events needs a network', async () => {
    const { sellerId, owner, make } = await openShop(1)
    const page = minimal('pages', {})
    await importLines('pages', sellerId, [page])
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(7), pageId: page.id })])
    await updateCheckoutPage(sellerId, String(page.id), { name: 'Jazz', entryPolicy: 'single', offlineAdmission: false }, owner)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    expect([await scan(device, strongCode(7)), await scan(device, strongCode(0))]).toEqual(['none', 'local admitted'])
    expect(await device.engine.status()).toMatchObject({ tickets: 1, unsent: 1 })
  })

  it('can report its scans before the browser becomes another device', async () => {
    const { make, history } = await openShop(2)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    await scan(device, strongCode(0))
    expect(await device.engine.report()).toBe(1)
    device.network.line = 'up'
    expect(await device.engine.report()).toBe(0)
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    // A server that does not accept them will not accept them later either.
    device.network.line = 'down'
    await scan(device, strongCode(1))
    Object.assign(device.network, { line: 'up', refuse: () => true })
    expect(await device.engine.report()).toBe(0)
  })

  it('reports the unsent scans of the browser’s earlier device as that device’s, even if it was revoked long ago', async () => {
    const { sellerId, owner, make, history } = await openShop(3)
    const revoked = await make('Gate 1', ['offline', 'checkout'])
    await revoked.engine.synchronize()
    const earlier = await openDevice(revoked.cookie, revoked.storage, -MINUTE)
    earlier.network.line = 'down'
    expect([await scan(earlier, strongCode(0)), await scan(earlier, strongCode(1))]).toEqual(['local admitted', 'local admitted'])
    await earlier.engine.scan({ id: newId(), code: strongCode(1), checkIn: true, direction: 'out', pageId: undefined })
    await revokeDevice(sellerId, revoked.id, owner)
    await backdateRevocation(revoked.id)
    earlier.network.line = 'up'
    expect([await earlier.engine.report(), (await earlier.store.queued(9)).length]).toEqual([0, 3])
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['offline', 'checkout'] })
    const device = await openDevice(cookie, earlier.storage)
    // The list is still the earlier device's.
    device.network.line = 'down'
    expect(await scan(device, strongCode(2))).toBe('local admitted')
    device.network.line = 'up'
    await device.engine.synchronize()
    expect((await device.engine.status()).unsent).toBe(0)
    expect(await Promise.all([0, 1, 2].map(history))).toEqual([
      [['CHECKEDIN', 'Gate 1']],
      [
        ['CHECKEDIN', 'Gate 1'],
        ['UNCHECKEDIN', 'Gate 1'],
      ],
      [['CHECKEDIN', 'Gate 2']],
    ])
    expect(await listConflicts(sellerId)).toEqual([])
  })

  it('reports the scans that a new device makes with the earlier one’s list as its own, even if the clock has been corrected since', async () => {
    const { sellerId, owner, make, history } = await openShop(1)
    const earlier = await make('Gate 1', ['offline'], 10 * MINUTE)
    await earlier.engine.synchronize()
    expect(await earlier.engine.report()).toBe(0)
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['offline'] })
    const device = await openDevice(cookie, earlier.storage)
    device.network.line = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.line = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 2']])
  })

  it('reports scans of the earlier device only within its own permissions and events', async () => {
    const { sellerId, owner, make, history } = await openShop(2)
    const earlier = await make('Gate 1', ['offline', 'checkout'])
    await earlier.engine.synchronize()
    const offline = await openDevice(earlier.cookie, earlier.storage, -MINUTE)
    offline.network.line = 'down'
    for (const code of [strongCode(0), strongCode(1)]) expect(await scan(offline, code)).toBe('local admitted')
    await offline.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction: 'out', pageId: undefined })
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['offline'] })
    const device = await openDevice(cookie, offline.storage)
    await device.engine.report()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect((await listConflicts(sellerId)).map(({ kind }) => kind)).toEqual(['not_permitted'])
  })

  it('cannot report scans as another device whose list it has not had', async () => {
    const { sellerId, owner, make, history } = await openShop(1)
    const other = await make('Gate 1')
    const made = await make('Gate 2')
    await made.engine.synchronize()
    const device = await openDevice(made.cookie, made.storage, -MINUTE)
    device.network.line = 'down'
    await scan(device, strongCode(0))
    const [own] = await device.store.queued(1)
    const signature = own?.signedDeviceId?.split('.')[1]
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 3', rights: ['offline'] })
    const scans = [{ ...own, signedDeviceId: `${other.id}.${signature}` }]
    expect((await reportScans(doorRequest('/door/scans', cookie, { protocol: 1, scans }))).status).toBe(200)
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 3']])
  })

  it('remembers its admissions until its list is updated', async () => {
    const { make } = await openShop(2)
    const device = await make()
    await device.engine.synchronize()
    expect(await scan(device, strongCode(0))).toBe('server admitted')
    // As if the scan was long ago.
    const { index } = await deriveCodeKey(fromBase64((await device.store.state())?.indexKey ?? ''), strongCode(0))
    await device.store.saveEntry({ index, at: 0 }, undefined)
    device.network.isNewer = true
    await device.engine.synchronize()
    device.network.line = 'down'
    expect(await scan(device, strongCode(0))).toBe('local already_checked_in')
  })

  it.each([
    ['a code in another case', strongCode(0).toLowerCase()],
    ['a short ID', 't8x2'],
  ])('remembers a ticket that was admitted by typing %s', async (_, typed) => {
    const { make } = await openShop(1, { ticketShortId: 'T8X2' })
    const device = await make('Gate 1', ['offline', 'search'])
    await device.engine.synchronize()
    expect(await scan(device, typed)).toBe('server admitted')
    device.network.line = 'down'
    expect([await scan(device, strongCode(0)), await scan(device, typed)]).toEqual(['local already_checked_in', 'local already_checked_in'])
  })

  it('follows undos and manual check-ins that its list does not include yet', async () => {
    const { tickets, make } = await openShop(1)
    const id = String(tickets[0]?.id)
    const device = await make('Gate 1', ['offline', 'search', 'undo', 'checkout'])
    const undo = async (sequence: number) => {
      const body = { key: newId(), ticketId: id, sequence, reason: 'Wrong guest' }
      expect(await (await undoChange(doorRequest('/door/undo', device.cookie, body))).json()).toMatchObject({ done: true })
    }
    const preview = async () => {
      device.network.line = 'down'
      const previewed = await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: false, pageId: undefined })
      device.network.line = 'up'
      await device.engine.synchronize()
      return readKind(previewed)
    }
    await device.engine.synchronize()
    expect(await scan(device, strongCode(0))).toBe('server admitted')
    await device.engine.synchronize()
    await undo(1)
    device.engine.remember(id, { hasLeft: true })
    expect(await preview()).toBe('local previewed')
    await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, pageId: undefined })
    await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction: 'out', pageId: undefined })
    expect(await preview()).toBe('local already_checked_in')
    await undo(4)
    device.engine.remember(id, { hasLeft: false })
    device.network.line = 'down'
    const out = await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction: 'out', pageId: undefined })
    expect(await readKind(out)).toBe('local checked_out')
  })

  it('updates its list if its clock is wrong by more than a month', async () => {
    const { sellerId, make } = await openShop(1)
    const device = await make('Gate 1', ['offline'], 100 * DAY)
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 2, isComplete: true })
  })

  it('stores nothing from an update during which the list was deleted', async () => {
    const { make } = await openShop(1)
    const device = await make()
    await device.engine.synchronize()
    device.network.onList = () => device.engine.wipe()
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 0, isComplete: false })
  })

  it('asks the server while the browser’s storage is unavailable, and reloads its list once storage is available', async () => {
    const { make } = await openShop(2)
    const device = await make()
    await device.engine.synchronize()
    const lost = () => Promise.reject(new DOMException('Connection to Indexed Database server lost', 'UnknownError'))
    const engine = createEngine({ store: { ...device.store, state: lost }, send: device.send })
    expect(await scan({ engine }, strongCode(0))).toBe('server admitted')
    // This closes the connection to the store.
    await deleteStore(device.storage)
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 2, isComplete: true })
    device.network.line = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
  })

  it('decides itself about a ticket that it has let in and not reported yet, in any form of its code', async () => {
    const { sellerId, tickets, make, history } = await openShop(2, { ticketShortId: 'T8X2' })
    await importLines('tickets', sellerId, [minimal('tickets', { ...tickets[1], ticketShortId: 'T8X3' })])
    const device = await make('Gate 1', ['offline', 'search'])
    await device.engine.synchronize()
    device.network.line = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    const sold = minimal('tickets', { qrCode: strongCode(7) })
    await importLines('tickets', sellerId, [sold])
    // The server is reachable, but does not accept the scan yet.
    Object.assign(device.network, { line: 'up', refuse: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ isOffline: false, unsent: 1 })
    const otherTab = await openDevice(device.cookie, device.storage)
    expect([await scan(device, strongCode(0)), await scan(otherTab, strongCode(0))]).toEqual([
      'local already_checked_in',
      'local already_checked_in',
    ])
    const preview = { id: newId(), code: strongCode(0), checkIn: false, pageId: undefined }
    expect(await readKind(await device.engine.scan(preview))).toBe('local already_checked_in')
    for (const code of [strongCode(0).toLowerCase(), 't8x2'])
      expect(await device.engine.scan({ ...preview, id: newId(), code, checkIn: true })).toEqual({ by: 'none', isUnsent: true })
    expect(await Promise.all(tickets.map(({ id }) => device.engine.isUnsent(String(id))))).toEqual([true, false])
    // The server decides about all other codes, and records each scan once.
    const others = [strongCode(7), 't8x3', 't8x3', strongCode(8)]
    const kinds: string[] = []
    for (const code of others) kinds.push(await scan(device, code))
    expect(kinds).toEqual(['server admitted', 'server admitted', 'server already_checked_in', 'server unknown'])
    const { devices } = await countTurnout(sellerId, undefined)
    expect(devices).toMatchObject([{ scans: { admitted: 2, already_checked_in: 1, unknown: 1 } }])
    device.network.refuse = () => false
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 0 })
    expect(await Promise.all([scan(device, strongCode(0)), device.engine.isUnsent(String(tickets[0]?.id))])).toEqual([
      'server already_checked_in',
      false,
    ])
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
  })

  /** Opens a device for all events, one of which needs a network, and returns a function that scans a typed code as the page does. */
  async function openPage() {
    const shop = await openShop(1, { ticketShortId: 'T8X2' }, true)
    const page = minimal('pages', { name: 'Rock' })
    await importLines('pages', shop.sellerId, [page])
    await updateCheckoutPage(shop.sellerId, String(page.id), { name: 'Rock', entryPolicy: 'single', offlineAdmission: false }, shop.owner)
    await importLines('tickets', shop.sellerId, [minimal('tickets', { qrCode: strongCode(7), pageId: page.id })])
    const device = await shop.make('Gate 1', ['offline', 'search'])
    await device.engine.synchronize()
    vi.stubGlobal('fetch', device.send)
    const offline = { engine: device.engine, refresh() {}, update() {} } as unknown as Offline
    const type = async (code: string) => {
      const change = beginChange('/door/scan', { code, source: 'typed', checkIn: true })
      const sent = await sendScan(device.engine, offline, change, { code, source: 'typed', checkIn: true, pageId: undefined }, 'UTC')
      if ('local' in sent) return `local ${sent.local.kind}`
      return sent.outcome === 'ok' ? `${sent.data.kind}${sent.data.replayed ? ' replayed' : ''}` : sent.outcome
    }
    return { ...shop, device, type }
  }

  it('repeats a scan that got no response, even if it has let in another guest since and not reported it yet', async () => {
    const { device, type } = await openPage()
    device.network.line = 'lost'
    expect(await type(strongCode(7))).toBe('offline')
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    Object.assign(device.network, { line: 'up', refuse: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ isOffline: false, unsent: 1 })
    expect(await type(strongCode(7))).toBe('admitted replayed')
  })

  it('does not let in a copy with another form of the code if the server is back before the device has noticed it', async () => {
    const { device, type, history } = await openPage()
    device.network.line = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.line = 'up'
    expect([(await device.engine.status()).isOffline, await type('t8x2')]).toEqual([true, 'refused'])
    await device.engine.synchronize()
    expect([await type('t8x2'), await history(0)]).toEqual(['already_checked_in', [['CHECKEDIN', 'Gate 1']]])
  })

  it('records a refused exit once, even while other scans are unsent', async () => {
    const { sellerId, tickets, make } = await openShop(1, {}, true)
    const other = minimal('pages', { name: 'Blues' })
    await importLines('pages', sellerId, [other])
    const device = await make('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    device.network.line = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    Object.assign(device.network, { line: 'up', refuse: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(7), pageId: other.id })])
    const exit = { checkIn: true, direction: 'out', pageId: String(tickets[0]?.pageId) } as const
    const kinds: string[] = []
    for (const index of [7, 8]) kinds.push(await readKind(await device.engine.scan({ id: newId(), code: strongCode(index), ...exit })))
    expect(kinds).toEqual(['server other_event', 'server unknown'])
    expect((await countTurnout(sellerId, undefined)).devices).toMatchObject([{ scans: { other_event: 1, unknown: 1 } }])
  })

  it('admits a guest again whom it has scanned out and not reported yet', async () => {
    const { sellerId, owner, tickets, make, history } = await openShop(1, {}, true)
    const pageId = String(tickets[0]?.pageId)
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    const device = await make('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    const move = async (direction: 'in' | 'out') =>
      readKind(await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction, pageId }))
    expect(await move('in')).toBe('server admitted')
    device.network.line = 'down'
    expect(await move('out')).toBe('local checked_out')
    Object.assign(device.network, { line: 'up', refuse: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect([await move('in'), await move('in'), await move('out')]).toEqual([
      'local admitted',
      'local already_checked_in',
      'local checked_out',
    ])
    expect(await device.engine.status()).toMatchObject({ isOffline: false, unsent: 4, isCountUncertain: false, moves: { length: 3 } })
    device.network.refuse = () => false
    await device.engine.synchronize()
    expect((await history(0)).map(([status]) => status)).toEqual(['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN', 'UNCHECKEDIN'])
    expect([await listConflicts(sellerId), (await countTurnout(sellerId, undefined)).inside]).toEqual([[], 0])
  })

  it('decides neither itself nor with the server if the event of such a ticket requires a network by now', async () => {
    const { sellerId, owner, tickets, make } = await openShop(2, {}, true)
    const pageId = String(tickets[0]?.pageId)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    const check = (index: number) => device.engine.scan({ id: newId(), code: strongCode(index), checkIn: true, pageId })
    expect(await readKind(await check(0))).toBe('local admitted')
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single', offlineAdmission: false }, owner)
    Object.assign(device.network, { line: 'up', refuse: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect(await check(0)).toEqual({ by: 'none', isUnsent: true })
    expect(await readKind(await check(1))).toBe('server admitted')
  })

  it('reports times on the server’s clock, and an override as a conflict', async () => {
    const { sellerId, make } = await openShop(1)
    const device = await make('Gate 1', ['offline'], 600_000)
    await device.engine.synchronize()
    device.network.line = 'down'
    const start = Date.now()
    await device.engine.override({ id: newId(), code: 'paper-ticket', checkIn: true, pageId: undefined })
    device.network.line = 'up'
    await device.engine.synchronize()
    const [conflict] = await listConflicts(sellerId)
    expect(conflict).toMatchObject({ kind: 'unknown_code', isOverride: true, gate: 'Gate 1' })
    expect(Math.abs(Date.parse(String(conflict?.at)) - start)).toBeLessThan(60_000)
  })

  it('reports a guest who was let in after the code was shown as unknown', async () => {
    const { sellerId, make } = await openShop(1)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    const request = { id: newId(), code: 'paper-ticket', checkIn: true, pageId: undefined }
    expect(await readKind(await device.engine.scan(request))).toBe('local unknown')
    await device.engine.override(request)
    device.network.line = 'up'
    await device.engine.synchronize()
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'unknown_code', isOverride: true }])
  })

  it('finds guests by name on its list, and checks them in without their code', async () => {
    const { sellerId, tickets, make, history } = await openShop(30, {}, true)
    const [renée] = [minimal('tickets', { ...tickets[0], customerName: 'Renée Ørsted', orderId: 'BK-7' })]
    await importLines('tickets', sellerId, [renée])
    const device = await make('Gate 1', ['offline', 'names', 'search'])
    await device.engine.synchronize()
    device.network.line = 'down'
    const find = async (term: string, pageId?: string) => device.engine.findGuests(term, pageId)
    expect(await find('guest')).toMatchObject({ guests: { length: 20 }, hasMore: true })
    for (const term of ['orsted', 'ØRSTED renee', 'bk-7'])
      expect((await find(term))?.guests.map(({ name }) => name)).toEqual(['Renée Ørsted'])
    expect(await find('orsted', 'f'.repeat(24))).toEqual({ guests: [], hasMore: false })
    const [guest] = (await find('orsted', String(renée?.pageId)))?.guests ?? []
    if (!guest) throw new Error('no guest')
    expect([guest.ticketId, guest.decision.kind]).toEqual([renée?.id, 'previewed'])
    const admit = (id = newId()) => device.engine.scan({ id, checkIn: true, pageId: undefined, ...guest })
    expect(await readKind(await admit())).toBe('local admitted')
    // The code counts as used, because someone else may have a copy.
    expect(await scan(device, strongCode(0))).toBe('local already_checked_in')
    expect((await find('orsted'))?.guests.map(({ decision }) => decision.kind)).toEqual(['already_checked_in'])
    device.network.line = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await listConflicts(sellerId)).toEqual([])
    // With a network, the server decides.
    expect(await readKind(await admit())).toBe('server already_checked_in')
    // The key is only in the page’s memory.
    const next = await openDevice(device.cookie, device.storage)
    next.network.line = 'down'
    expect(await next.engine.findGuests('orsted', undefined)).toBeUndefined()
  })

  it('keeps asking the server about scans while the server is too busy to send the list', async () => {
    const { make } = await openShop(1)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'busy'
    expect(await device.engine.synchronize()).toBe(false)
    expect(await scan(device, strongCode(0))).toBe('server admitted')
  })

  it.each([
    // The codes are strong, because deriving the keys of weak codes is slow.
    ['400 characters', `${strongCode(9)}-${'x'.repeat(371)}`],
    ['the maximum length for a ticket', `${strongCode(9)}-${'🎫'.repeat(483)}`],
    ['the maximum length for a QR code', `${strongCode(9)}-${'x'.repeat(2_871)}`],
  ])('reports codes of %s, and all scans after them', async (_, code) => {
    const { sellerId, make, history } = await openShop(1)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    for (let index = 0; index < 90; index += 1) await scan(device, code)
    await device.engine.override({ id: newId(), code, checkIn: true, pageId: undefined })
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.line = 'up'
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 0 })
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'unknown_code', isOverride: true }])
  })

  it.each([
    ['NUL', `${strongCode(9)}\u0000`],
    ['malformed Unicode', `${strongCode(9)}\ud800`],
  ])('reports codes with %s, which cannot be stored, as unknown', async (_, code) => {
    const { sellerId, make } = await openShop(1)
    const device = await make('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    device.network.line = 'down'
    expect(await scan(device, code)).toBe('local unknown')
    for (let guests = 0; guests < 2; guests += 1) await device.engine.override({ id: newId(), code, checkIn: true, pageId: undefined })
    await device.engine.scan({ id: newId(), code, checkIn: true, direction: 'out', pageId: undefined })
    device.network.line = 'up'
    await device.engine.synchronize()
    const conflict = { kind: 'unknown_code', isOverride: true }
    expect([await listConflicts(sellerId), await countTurnout(sellerId, undefined)]).toMatchObject([[conflict, conflict], { inside: 1 }])
  })

  it('halves a batch that the server rejects, so that one scan cannot block the others', async () => {
    const { make, history } = await openShop(9)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    const ids = Array.from({ length: 9 }, newId)
    for (const [index, id] of ids.entries()) await scan(device, strongCode(index), id)
    device.network.line = 'up'
    device.network.refuse = (body) => body.includes(String(ids[3]))
    expect(await device.engine.synchronize()).toBe(true)
    expect(await device.engine.status()).toMatchObject({ unsent: 1 })
    for (let index = 0; index < 9; index += 1) expect(await history(index)).toHaveLength(index === 3 ? 0 : 1)
    // The scan is sent again, and is recorded once the server accepts it.
    device.network.refuse = () => false
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 0 })
    expect(await history(3)).toEqual([['CHECKEDIN', 'Gate 1']])
  })

  it('admits one guest if two tabs scan the same code concurrently', async () => {
    const { make } = await openShop(8)
    let queue: Promise<unknown> = Promise.resolve()
    const locks = <T>(_: unknown, work: () => Promise<T>): Promise<T> => {
      const next = queue.then(work)
      queue = next.catch(() => {})
      return next
    }
    const first = await make()
    await first.engine.synchronize()
    const tabs = await Promise.all([1, 2].map(() => openDevice(first.cookie, first.storage, 0, locks)))
    for (const tab of tabs) tab.network.line = 'down'
    for (let index = 0; index < 8; index += 1) {
      const kinds = await Promise.all(tabs.map((tab) => scan(tab, strongCode(index))))
      expect(kinds.toSorted()).toEqual(['local admitted', 'local already_checked_in'])
    }
  })

  it('reports its scans to a server with a newer version, and keeps using its list', async () => {
    const { make, history } = await openShop(2)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    await scan(device, strongCode(0))
    Object.assign(device.network, { line: 'up', isNewer: true })
    expect(await device.engine.synchronize()).toBe(true)
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await device.engine.status()).toMatchObject({ isOutdated: true, isComplete: true, tickets: 2, unsent: 0 })
    device.network.line = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
  })

  it('reports its scans and deletes its list at the next contact after it was revoked', async () => {
    const { sellerId, owner, make, history } = await openShop(2)
    const device = await make()
    await device.engine.synchronize()
    device.network.line = 'down'
    await scan(device, strongCode(0))
    await revokeDevice(sellerId, device.id, owner)
    device.network.line = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await device.engine.status()).toMatchObject({ isEnded: true, tickets: 0, unsent: 0 })
    device.network.line = 'down'
    expect(await scan(device, strongCode(1))).toBe('none')
  })
})

/** Returns everything in the store, with binary data as text. */
async function readEverything(storage: string): Promise<string> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(storage)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  const read = <T>(request: IDBRequest<T>) => new Promise<T>((resolve) => (request.onsuccess = () => resolve(request.result)))
  const parts: string[] = []
  const add = (value: unknown): void => {
    if (value instanceof Uint8Array) parts.push(Buffer.from(value).toString('latin1'), Buffer.from(value).toString('utf8'))
    else if (typeof value === 'object' && value !== null) for (const pair of Object.entries(value)) for (const part of pair) add(part)
    else {
      const text = String(value)
      parts.push(text, ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(text, encoding).toString('latin1')))
    }
  }
  for (const name of database.objectStoreNames) {
    const store = database.transaction(name).objectStore(name)
    add(await read(store.getAllKeys()))
    add(await read(store.getAll()))
  }
  database.close()
  return parts.join('\n')
}

it('stores no code, name or email address in any encoding', async () => {
  const { tickets, make } = await openShop(40, {}, true)
  const device = await make('Gate 1', ['offline', 'names', 'search'])
  await device.engine.synchronize()
  await scan(device, strongCode(0))
  const { searchKey } = (await (await device.send('/door/tickets', {})).json()) as TicketListPage
  device.network.line = 'down'
  expect(await device.engine.findGuests('Lovelace', undefined)).toMatchObject({ hasMore: true })
  for (let index = 0; index < 498; index += 1) await scan(device, strongCode(index % 40))
  await scan(device, 'code-without-a-ticket')
  const everything = (await readEverything(device.storage)).toLowerCase()
  expect(everything).toContain('clockoffset')
  expect(searchKey).toMatch(/^[\w-]{43}$/)
  const keys = [searchKey, Buffer.from(String(searchKey), 'base64url').toString('latin1')]
  const secrets = [
    ...keys,
    ...tickets.flatMap(({ qrCode, id }) => [qrCode, id]),
    'Lovelace',
    'ada@example',
    'code-without-a-ticket',
    device.token,
  ]
  for (const secret of secrets) expect(everything.includes(String(secret).toLowerCase()), String(secret)).toBe(false)
})

describe('four doors with 60 guests, 8 copied tickets, wrong clocks and network failures', () => {
  // More guests, doors and faults are in simulation.test.ts.
  it('record every scan once, and every double entry as one conflict', async () => {
    const { sellerId, make, history } = await openShop(60)
    let state = 7_919
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const devices = await Promise.all([0, 1, 2, 3].map((index) => make(`Gate ${index}`, ['offline'], (random(20) - 10) * 60_000)))
    for (const { engine } of devices) await engine.synchronize()
    const guests = Array.from({ length: 60 }, (_, index) => ({ code: strongCode(index), door: random(4) }))
    const copies = guests.slice(0, 8).map(({ code, door }) => ({ code, door: (door + 1) % 4 }))
    const scans = [...guests, ...copies].toSorted(() => random(3) - 1)
    const lines: NetworkLine[] = ['up', 'down', 'lost']
    const shown = new Map<string, number>()
    for (const [index, { code, door }] of scans.entries()) {
      const device = devices[door]
      if (!device) continue
      if (index % 5 === 0) device.network.line = lines[random(3)] ?? 'up'
      const kind = await scan(device, code)
      if (kind.endsWith(' admitted')) shown.set(code, (shown.get(code) ?? 0) + 1)
      if (index % 9 === 0) await device.engine.synchronize()
    }
    // One page is killed, and its device continues with the data that it has stored.
    const [killed, ...others] = devices
    if (!killed) throw new Error('no device')
    const all = [await openDevice(killed.cookie, killed.storage), ...others]
    for (const device of all.toSorted(() => random(3) - 1)) {
      device.network.line = 'lost'
      await device.engine.synchronize()
      device.network.line = 'up'
      await device.engine.synchronize()
      expect((await device.engine.status()).unsent).toBe(0)
    }
    for (let index = 0; index < 60; index += 1) expect([index, (await history(index)).length]).toEqual([index, 1])
    const doubles = [...shown.values()].reduce((sum, count) => sum + count - 1, 0)
    expect((await listConflicts(sellerId)).filter(({ kind }) => kind === 'double_entry')).toHaveLength(doubles)
  })
})
