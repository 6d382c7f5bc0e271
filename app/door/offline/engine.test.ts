/** Offline check-in with the real routes and database: a device's decisions, its queue, its reconnection, and the data that it stores. */
// @module-tag slow
import 'fake-indexeddb/auto'
import { deleteDB } from 'idb'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type DeviceRight, revokeDevice } from '@/lib/accounts/check-in-devices'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import type { CodeSource } from '@/lib/admission/scan-source'
import type { TicketListPage } from '@/lib/admission/sealed-ticket'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { countTurnout } from '@/lib/admission/turnout'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { backdateRevocation, doorRequest, makeDevice, newId } from '@/testing/devices'
import { createShop, type NetworkState, openDevice, readKind, scan, strongCode } from '@/testing/offline-device'
import { importLines, type Line, minimal, openTestDatabase } from '@/testing/seller'
import { beginChange } from '../door-client'
import { toLocalOutcome } from '../outcomes'
import { POST as reportScans } from '../scans/route'
import { sendManualChange, sendScan } from '../send-scan'
import { POST as undoChange } from '../undo/route'
import type { Offline } from '../use-offline'
import { createEngine } from './engine'
import { deriveCodeKey, fromBase64, toBase64 } from './unseal'

beforeAll(openTestDatabase)
afterEach(() => void vi.unstubAllGlobals())

const MINUTE = 60_000
const DAY = 86_400_000

describe('a device that loses the network', () => {
  it('checks tickets with its list, and reports all scans after reconnecting', async () => {
    const { addDevice, history } = await createShop(3)
    const device = await addDevice()
    await device.engine.synchronize()
    expect(await scan(device, strongCode(0))).toBe('server admitted')
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
    // Scans copies of both tickets. This device has already admitted the first ticket online and the second one offline.
    expect([await scan(device, strongCode(1)), await scan(device, strongCode(0))]).toEqual([
      'local already_checked_in',
      'local already_checked_in',
    ])
    expect(await scan(device, 'no-such-code')).toBe('local unknown')
    // Only the guest whom this device let in while offline is missing from the server's counts.
    const countChanges = [{ pageId: null, inside: 1, attended: 1 }]
    expect(await device.engine.status()).toMatchObject({ isOffline: true, tickets: 3, unsent: 4, isComplete: true, countChanges })
    expect(await device.engine.synchronize()).toBe(false)
    expect(await device.engine.status()).toMatchObject({ unsent: 4, countChanges })
    device.network.state = 'up'
    expect(await device.engine.synchronize()).toBe(true)
    expect(await device.engine.status()).toMatchObject({ isOffline: false, unsent: 0, countChanges: [] })
    expect(await history(1)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await scan(device, strongCode(2))).toBe('server admitted')
    // The list includes this device's own check-ins by now.
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('local already_checked_in')
  })

  it.each(['silent', 'stalled'] as const)(
    'checks a ticket locally if the server does not respond in time (%s), and counts a scan once even if the server has also recorded it',
    async (state) => {
      const { sellerId, addDevice, history } = await createShop(2)
      const device = await addDevice()
      await device.engine.synchronize()
      device.network.state = 'lost'
      expect(await scan(device, strongCode(0))).toBe('local admitted')
      device.network.state = 'up'
      await device.engine.synchronize()
      device.network.state = state
      const engine = createEngine({ store: device.store, send: device.send, exclusively: (work) => work(), timeoutMs: 200 })
      const start = performance.now()
      expect(await scan({ engine }, strongCode(1))).toBe('local admitted')
      expect(performance.now() - start).toBeGreaterThanOrEqual(190)
      device.network.state = 'up'
      await engine.synchronize()
      expect([await history(0), await history(1)]).toEqual([[['CHECKEDIN', 'Gate 1']], [['CHECKEDIN', 'Gate 1']]])
      expect(await listConflicts(sellerId)).toEqual([])
    },
  )

  it('counts a scan that is repeated before it has a result once, even if the server does not respond to the repetition in time', async () => {
    const { sellerId, addDevice, history } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    let requests = 0
    const send: typeof device.send = (path, request) => {
      if (path === '/door/scan') requests += 1
      device.network.state = requests > 1 ? 'silent' : 'up'
      return device.send(path, request)
    }
    const engine = createEngine({ store: device.store, send, exclusively: (work) => work(), timeoutMs: 3_000 })
    const request = { id: newId(), code: strongCode(0), checkIn: true, pageId: undefined }
    const [first, second] = await Promise.all([engine.scan(request), engine.scan({ ...request, isRepeated: true })])
    requests = 0
    expect([await readKind(first), (await engine.status()).unsent]).toEqual(['server admitted', 0])
    const response = second.decidedBy === 'server' ? await second.response.json() : second
    expect(response).toMatchObject({ kind: 'admitted', replayed: false, didCheckIn: false })
    await engine.synchronize()
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
    // It has a result, so the next scan is checked separately.
    expect(await scan({ engine }, strongCode(0), request.id)).toBe('server admitted')
  })

  it('treats the page of a proxy as no connection, and keeps its list', async () => {
    const { addDevice, history } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'proxy'
    expect(await device.engine.synchronize()).toBe(false)
    expect(await device.engine.status()).toMatchObject({ isOffline: true, isEnded: false, tickets: 2 })
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    // The device does not know yet that it is behind a proxy.
    device.network.state = 'proxy'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
  })

  it('counts its scans while they are being sent, and afterward until counts that include them are received', async () => {
    const { addDevice } = await createShop(3)
    const device = await addDevice()
    const countChanges = [{ pageId: null, inside: 1, attended: 1 }]
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ countChanges: [], delivered: [], isCountUncertain: false })
    device.network.state = 'down'
    await scan(device, strongCode(0))
    expect(await device.engine.status()).toMatchObject({ countChanges, delivered: [], isCountUncertain: true })
    device.network.state = 'up'
    // At the time of the list request, the server has already recorded the scan, but the page does not know this yet.
    let [atStart, whileSending]: unknown[] = []
    device.network.onListRequest = async () => {
      whileSending = await device.engine.status()
    }
    await device.engine.synchronize(async () => {
      atStart = await device.engine.status()
    })
    expect(atStart).toMatchObject({ unsent: 1, countChanges, delivered: [], isCountUncertain: true })
    expect(whileSending).toMatchObject({ unsent: 0, countChanges, delivered: [], isCountUncertain: true })
    for (let index = 0; index < 2; index += 1) {
      expect(await device.engine.status()).toMatchObject({ countChanges: [], delivered: countChanges, isCountUncertain: false })
      await device.engine.synchronize()
    }
    device.engine.forgetDelivered()
    expect(await device.engine.status()).toMatchObject({ countChanges: [], delivered: [] })
  })

  it('does not treat the server’s counts as uncertain if the server rejects a scan', async () => {
    const { addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    await scan(device, strongCode(0))
    Object.assign(device.network, { state: 'up', isRejected: () => true })
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 1, countChanges: { length: 1 }, delivered: [], isCountUncertain: false })
  })

  it('continues after its page was killed, with its list and its unsent scans', async () => {
    const { addDevice, history } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    await scan(device, strongCode(0))
    const next = await openDevice(device.cookie, device.storage)
    next.network.state = 'down'
    expect([await scan(next, strongCode(0)), await scan(next, strongCode(1))]).toEqual(['local already_checked_in', 'local admitted'])
    next.network.state = 'up'
    await next.engine.synchronize()
    expect([await history(0), await history(1)]).toEqual([[['CHECKEDIN', 'Gate 1']], [['CHECKEDIN', 'Gate 1']]])
  })

  it('does not change its own record of the ticket if it refuses a check-out', async () => {
    const { sellerId, owner, tickets, addDevice } = await createShop(2, {}, true)
    const pageId = String(tickets[0]?.pageId)
    const other = minimal('pages', { name: 'Blues' })
    await importLines('pages', sellerId, [other])
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    const pass = async (index: number, direction: 'in' | 'out', door: string) =>
      readKind(await device.engine.scan({ id: newId(), code: strongCode(index), checkIn: true, direction, pageId: door }))
    expect(await pass(0, 'in', pageId)).toBe('server admitted')
    device.network.state = 'down'
    expect([await pass(0, 'out', String(other.id)), await pass(0, 'in', pageId)]).toEqual(['local other_event', 'local already_checked_in'])
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single' }, owner)
    device.network.state = 'up'
    await device.engine.synchronize()
    device.network.state = 'down'
    expect([await pass(1, 'out', pageId), await pass(1, 'in', pageId)]).toEqual(['local not_checked_in', 'local admitted'])
    expect([await pass(1, 'out', pageId), await pass(1, 'in', pageId)]).toEqual(['local checked_out', 'local already_checked_in'])
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await listConflicts(sellerId)).toEqual([])
  })

  it('shows and reports how a code was read', async () => {
    const { sellerId, tickets, addDevice } = await createShop(2)
    const device = await addDevice()
    const read = (code: string, source: CodeSource) => device.engine.scan({ id: newId(), code, source, checkIn: true, pageId: undefined })
    await device.engine.synchronize()
    expect(await readKind(await read(strongCode(0), 'camera'))).toBe('server admitted')
    device.network.state = 'down'
    expect(await readKind(await read(strongCode(1), 'scanner'))).toBe('local admitted')
    const messages = async () => {
      const again = [await read(strongCode(0), 'typed'), await read(strongCode(1), 'typed')]
      return again.map((result) => (result.decidedBy === 'device' ? result.decision.message : undefined))
    }
    const expected = [/ by QR scan on /, / by scanner on /].map((way) => expect.stringMatching(way))
    expect(await messages()).toEqual(expected)
    device.network.state = 'up'
    await device.engine.synchronize()
    const sources = tickets.map(async ({ id }) =>
      (await getTicketDetails(sellerId, String(id), undefined)).history.map(({ source }) => source),
    )
    expect(await Promise.all(sources)).toEqual([['camera'], ['scanner']])
    // Another device gets the source from the list.
    const other = await addDevice('Gate 2')
    await other.engine.synchronize()
    other.network.state = 'down'
    const listed = await other.engine.scan({ id: newId(), code: strongCode(1), checkIn: true, pageId: undefined })
    expect(listed).toMatchObject({ decidedBy: 'device', decision: { message: expected[1] } })
  })

  it('returns the current number of tickets, even if it was read earlier while the list was still loading', async () => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    device.network.onListRequest = device.engine.status
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 2 })
  })

  it('does not check tickets before its list is complete', async () => {
    const { addDevice } = await createShop(1)
    const device = await addDevice()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('none')
    expect(await device.engine.status()).toMatchObject({ isComplete: false, unsent: 0 })
  })

  it('at a door for all events, does not decide about unlisted codes while one of the events requires a connection', async () => {
    const { sellerId, owner, addDevice } = await createShop(1)
    const page = minimal('pages', {})
    await importLines('pages', sellerId, [page])
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(7), pageId: page.id })])
    await updateCheckoutPage(sellerId, String(page.id), { name: 'Jazz', entryPolicy: 'single', offlineAdmission: false }, owner)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    expect([await scan(device, strongCode(7)), await scan(device, strongCode(0))]).toEqual(['none', 'local admitted'])
    expect(await device.engine.status()).toMatchObject({ tickets: 1, unsent: 1 })
  })

  it('does not check tickets for an event that is not one of its own', async () => {
    const { sellerId, owner, tickets } = await createShop(2, {}, true)
    const other = minimal('pages', { name: 'Blues' })
    await importLines('pages', sellerId, [other])
    await importLines('tickets', sellerId, [{ ...tickets[1], pageId: other.id }])
    const rights: DeviceRight[] = ['offline', 'checkout']
    const { cookie } = await makeDevice(sellerId, owner, { pageIds: [String(tickets[0]?.pageId)], rights })
    const device = await openDevice(cookie)
    await device.engine.synchronize()
    device.network.state = 'down'
    const check = (index: number, pageId: unknown, direction?: 'out') =>
      device.engine.scan({ id: newId(), code: strongCode(index), checkIn: true, direction, pageId: String(pageId) }).then(readKind)
    expect([await check(1, other.id), await check(1, other.id, 'out'), await check(0, other.id)]).toEqual(['none', 'none', 'none'])
    expect(await check(0, tickets[0]?.pageId)).toBe('local admitted')
    expect(await device.engine.status()).toMatchObject({ unsent: 1 })
  })

  it('reports its scans before the browser is set up as another device, and returns how many could still be reported later', async () => {
    const { addDevice, history } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    await scan(device, strongCode(0))
    expect(await device.engine.report()).toBe(1)
    device.network.state = 'up'
    expect(await device.engine.report()).toBe(0)
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    // A server that does not accept them will not accept them later either.
    device.network.state = 'down'
    await scan(device, strongCode(1))
    Object.assign(device.network, { state: 'up', isRejected: () => true })
    expect(await device.engine.report()).toBe(0)
  })

  it('attributes the unsent scans of the browser’s earlier device to that device, even if it was revoked long ago', async () => {
    const { sellerId, owner, addDevice, history } = await createShop(3)
    const revoked = await addDevice('Gate 1', ['offline', 'checkout'])
    await revoked.engine.synchronize()
    const earlier = await openDevice(revoked.cookie, revoked.storage, -MINUTE)
    earlier.network.state = 'down'
    expect([await scan(earlier, strongCode(0)), await scan(earlier, strongCode(1))]).toEqual(['local admitted', 'local admitted'])
    await earlier.engine.scan({ id: newId(), code: strongCode(1), checkIn: true, direction: 'out', pageId: undefined })
    await revokeDevice(sellerId, revoked.id, owner)
    await backdateRevocation(revoked.id)
    earlier.network.state = 'up'
    expect([await earlier.engine.report(), (await earlier.store.queued(9)).length]).toEqual([0, 3])
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['offline', 'checkout'] })
    const device = await openDevice(cookie, earlier.storage)
    // The list still belongs to the earlier device.
    device.network.state = 'down'
    expect(await scan(device, strongCode(2))).toBe('local admitted')
    device.network.state = 'up'
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

  it('attributes scans that it made with an earlier device’s list to itself, even if the clock has been corrected since', async () => {
    const { sellerId, owner, addDevice, history } = await createShop(1)
    const earlier = await addDevice('Gate 1', ['offline'], 10 * MINUTE)
    await earlier.engine.synchronize()
    expect(await earlier.engine.report()).toBe(0)
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['offline'] })
    const device = await openDevice(cookie, earlier.storage)
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 2']])
  })

  it('reports the earlier device’s scans only within the current device’s permissions and events', async () => {
    const { sellerId, owner, addDevice, history } = await createShop(2)
    const earlier = await addDevice('Gate 1', ['offline', 'checkout'])
    await earlier.engine.synchronize()
    const offline = await openDevice(earlier.cookie, earlier.storage, -MINUTE)
    offline.network.state = 'down'
    for (const code of [strongCode(0), strongCode(1)]) expect(await scan(offline, code)).toBe('local admitted')
    await offline.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction: 'out', pageId: undefined })
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['offline'] })
    const device = await openDevice(cookie, offline.storage)
    await device.engine.report()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect((await listConflicts(sellerId)).map(({ kind }) => kind)).toEqual(['not_permitted'])
  })

  it('cannot report scans as another device whose list it never had', async () => {
    const { sellerId, owner, addDevice, history } = await createShop(1)
    const other = await addDevice('Gate 1')
    const made = await addDevice('Gate 2')
    await made.engine.synchronize()
    const device = await openDevice(made.cookie, made.storage, -MINUTE)
    device.network.state = 'down'
    await scan(device, strongCode(0))
    const [own] = await device.store.queued(1)
    const signature = own?.signedDeviceId?.split('.')[1]
    const { cookie } = await makeDevice(sellerId, owner, { name: 'Gate 3', rights: ['offline'] })
    const scans = [{ ...own, signedDeviceId: `${other.id}.${signature}` }]
    expect((await reportScans(doorRequest('/door/scans', cookie, { protocol: 1, scans }))).status).toBe(200)
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 3']])
  })

  it('remembers a guest whom it has let in until its list is updated', async () => {
    const { addDevice } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    expect(await scan(device, strongCode(0))).toBe('server admitted')
    // Backdates the entry, as if the scan had been long ago.
    const { index } = await deriveCodeKey(fromBase64((await device.store.state())?.indexKey ?? ''), strongCode(0))
    await device.store.saveEntry({ index, at: 0 }, undefined)
    device.network.hasNewerProtocol = true
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local already_checked_in')
  })

  it.each([
    ['a code with different capitalization', strongCode(0).toLowerCase()],
    ['a short ID', 't8x2'],
  ])('remembers a guest who was admitted by typing %s', async (_, typed) => {
    const { addDevice } = await createShop(1, { ticketShortId: 'T8X2' })
    const device = await addDevice('Gate 1', ['offline', 'search'])
    await device.engine.synchronize()
    expect(await scan(device, typed)).toBe('server admitted')
    device.network.state = 'down'
    expect([await scan(device, strongCode(0)), await scan(device, typed)]).toEqual(['local already_checked_in', 'local already_checked_in'])
  })

  it.each(['in', 'out'])(
    'refuses a ticket that the server has refused before, even if the list does not include the other door’s scan yet (%s)',
    async (direction) => {
      const { addDevice, history } = await createShop(1, { ticketShortId: 'T8X2' })
      const [device, other] = [await addDevice('Gate 1', ['offline', 'search']), await addDevice('Gate 2', ['offline', 'checkout'])]
      await device.engine.synchronize()
      const check = (part: object = {}) =>
        device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, pageId: undefined, ...part }).then(readKind)
      expect(await scan(other, strongCode(0))).toBe('server admitted')
      if (direction === 'out')
        await other.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction: 'out', pageId: undefined })
      expect(await check({ code: 't8x2' })).toBe('server already_checked_in')
      device.network.state = 'down'
      expect(await check()).toBe('local already_checked_in')
      device.network.state = 'up'
      await device.engine.synchronize()
      expect((await history(0)).map(([status]) => status)).toEqual(direction === 'in' ? ['CHECKEDIN'] : ['CHECKEDIN', 'UNCHECKEDIN'])
    },
  )

  it('refuses a ticket that the server has refused as canceled, even if the list does not include this yet, until it is reinstated', async () => {
    const { sellerId, tickets, addDevice } = await createShop(1, { ticketShortId: 'T8X2' })
    const device = await addDevice('Gate 1', ['offline', 'search'])
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [{ ...tickets[0], status: 'CANCELED' }])
    expect(await scan(device, 't8x2')).toBe('server canceled')
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local canceled')
    device.network.state = 'up'
    await importLines('tickets', sellerId, [tickets[0] ?? {}])
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
  })

  it('readmits a guest who was scanned after the clock had been set forward, and has since left through another door', async () => {
    const pageId = '7'.repeat(24)
    const { sellerId, owner, addDevice } = await createShop(1, { pageId })
    await importLines('pages', sellerId, [minimal('pages', { id: pageId })])
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    const [device, other] = [await addDevice('Gate 1'), await addDevice('Gate 2', ['offline', 'checkout'])]
    let aheadMs = 0
    const engine = createEngine({ ...device, now: () => Date.now() + aheadMs, exclusively: (work) => work(), timeoutMs: 60_000 })
    const check = (checked: typeof engine, direction: 'in' | 'out') =>
      checked.scan({ id: newId(), code: strongCode(0), checkIn: true, direction, pageId }).then(readKind)
    await engine.synchronize()
    device.network.state = 'down'
    aheadMs = 60 * MINUTE
    expect(await check(engine, 'in')).toBe('local admitted')
    device.network.state = 'up'
    await engine.synchronize()
    expect(await check(other.engine, 'out')).toBe('server checked_out')
    await engine.synchronize()
    device.network.state = 'down'
    expect(await check(engine, 'in')).toBe('local admitted')
  })

  it('keeps the order of a guest’s entries and exits if its clock is set back while it is offline', async () => {
    const { sellerId, owner, tickets, addDevice, history } = await createShop(1, {}, true)
    const pageId = String(tickets[0]?.pageId)
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    let aheadMs = 0
    const engine = createEngine({ ...device, now: () => Date.now() + aheadMs, exclusively: (work) => work(), timeoutMs: 60_000 })
    const check = (direction: 'in' | 'out') =>
      engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction, pageId }).then(readKind)
    await engine.synchronize()
    expect([await check('in'), await check('out')]).toEqual(['server admitted', 'server checked_out'])
    await engine.synchronize()
    device.network.state = 'down'
    aheadMs = -60 * MINUTE
    const kinds = [await check('in'), await check('in'), await check('out'), await check('out')]
    expect(kinds).toEqual(['local admitted', 'local already_checked_in', 'local checked_out', 'local not_checked_in'])
    device.network.state = 'up'
    await engine.synchronize()
    const statuses = (await history(0)).map(([status]) => status)
    expect(statuses).toEqual(['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN', 'UNCHECKEDIN'])
    expect(await listConflicts(sellerId)).toEqual([])
  })

  it('sends scans in the order in which they were made even if its clock is set back and then forward after an undo', async () => {
    const { tickets, addDevice } = await createShop(2)
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    let aheadMs = 0
    const engine = createEngine({ ...device, now: () => Date.now() + aheadMs, exclusively: (work) => work(), timeoutMs: 60_000 })
    const check = async (index: number, direction: 'in' | 'out') => {
      const id = newId()
      await engine.scan({ id, code: strongCode(index), checkIn: true, direction, pageId: undefined })
      return id
    }
    await engine.synchronize()
    const { store } = device
    const list = await store.state()
    if (!list) throw new Error('no list')
    // A measured offset is often not a whole number.
    await store.savePage({ entries: [], reset: false } as unknown as TicketListPage, { ...list, clockOffset: 0.5 }, list.cursor)
    device.network.state = 'down'
    engine.remember(String(tickets[0]?.id), { hasLeft: false })
    const { index } = await deriveCodeKey(fromBase64(list.indexKey), strongCode(0))
    await expect.poll(() => store.entered(index)).toBeDefined()
    aheadMs = -60 * MINUTE
    const ids = [await check(0, 'out')]
    aheadMs = MINUTE
    ids.push(await check(1, 'in'))
    expect((await store.queued(10)).map(({ id }) => id)).toEqual(ids)
  })

  it('admits a guest after the server has let out someone who was let in with the same code at another event', async () => {
    const { sellerId, tickets, addDevice } = await createShop(1, {}, true)
    const other = minimal('pages', { name: 'Blues' })
    await importLines('pages', sellerId, [other])
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    const check = (pageId?: string, direction?: 'out') =>
      device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction, pageId }).then(readKind)
    await device.engine.synchronize()
    device.network.state = 'down'
    await device.engine.override({ id: newId(), code: strongCode(0), checkIn: true, pageId: String(other.id) })
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await check(undefined, 'out')).toBe('server checked_out')
    device.network.state = 'down'
    expect(await check(String(tickets[0]?.pageId))).toBe('local admitted')
  })

  it('takes undos of check-ins and check-outs into account before its list includes them', async () => {
    const { tickets, addDevice } = await createShop(1)
    const id = String(tickets[0]?.id)
    const device = await addDevice('Gate 1', ['offline', 'search', 'undo', 'checkout'])
    const undo = async (sequence: number) => {
      const body = { key: newId(), ticketId: id, sequence, reason: 'Wrong guest' }
      expect(await (await undoChange(doorRequest('/door/undo', device.cookie, body))).json()).toMatchObject({ done: true })
    }
    const preview = async () => {
      device.network.state = 'down'
      const previewed = await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: false, pageId: undefined })
      device.network.state = 'up'
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
    device.network.state = 'down'
    const out = await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction: 'out', pageId: undefined })
    expect(await readKind(out)).toBe('local checked_out')
  })

  it('updates its list even if its clock is wrong by more than a month', async () => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice('Gate 1', ['offline'], 100 * DAY)
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 2, isComplete: true })
  })

  it('stores nothing from an update during which the list was deleted', async () => {
    const { addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.onListRequest = () => device.engine.wipe()
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 0, isComplete: false })
  })

  it('asks the server while the browser’s storage is unavailable, and loads its list again after the storage was lost', async () => {
    const { addDevice } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    const lost = () => Promise.reject(new DOMException('Connection to Indexed Database server lost', 'UnknownError'))
    const engine = createEngine({ store: { ...device.store, state: lost }, send: device.send })
    expect(await scan({ engine }, strongCode(0))).toBe('server admitted')
    // This also closes the store's connection.
    await deleteDB(device.storage)
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 2, isComplete: true })
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
  })

  it('does not let the server readmit a guest it has let in but not reported yet, whichever form of the code is scanned', async () => {
    const { sellerId, tickets, addDevice, history } = await createShop(2, { ticketShortId: 'T8X2' })
    await importLines('tickets', sellerId, [minimal('tickets', { ...tickets[1], ticketShortId: 'T8X3' })])
    const device = await addDevice('Gate 1', ['offline', 'search'])
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    const sold = minimal('tickets', { qrCode: strongCode(7) })
    await importLines('tickets', sellerId, [sold])
    // The server is reachable, but does not accept the scan yet.
    Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
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
      expect(await device.engine.scan({ ...preview, id: newId(), code, checkIn: true })).toEqual({ decidedBy: 'none', isUnsent: true })
    expect(await Promise.all(tickets.map(({ id }) => device.engine.prepareChange(String(id))))).toEqual([false, true])
    // The server checks all other codes, and records each scan once.
    const others = [strongCode(7), 't8x3', 't8x3', strongCode(8)]
    const kinds: string[] = []
    for (const code of others) kinds.push(await scan(device, code))
    expect(kinds).toEqual(['server admitted', 'server admitted', 'server already_checked_in', 'server unknown'])
    const { devices } = await countTurnout(sellerId, undefined)
    expect(devices).toMatchObject([{ scans: { admitted: 2, already_checked_in: 1, unknown: 1 } }])
    device.network.isRejected = () => false
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 0 })
    expect(await Promise.all([scan(device, strongCode(0)), device.engine.prepareChange(String(tickets[0]?.id))])).toEqual([
      'server already_checked_in',
      true,
    ])
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
  })

  /**
   * Opens a device for all events, one of which requires a connection.
   *
   * @returns the device, and functions that scan a code and check in the first ticket manually, as the page does
   */
  async function openPage(overrides: Line = {}) {
    const shop = await createShop(1, { ticketShortId: 'T8X2', ...overrides }, true)
    const page = minimal('pages', { name: 'Rock' })
    await importLines('pages', shop.sellerId, [page])
    await updateCheckoutPage(shop.sellerId, String(page.id), { name: 'Rock', entryPolicy: 'single', offlineAdmission: false }, shop.owner)
    const unlisted = minimal('tickets', { qrCode: strongCode(7), pageId: page.id })
    await importLines('tickets', shop.sellerId, [unlisted])
    const device = await shop.addDevice('Gate 1', ['offline', 'search', 'checkout'])
    await device.engine.synchronize()
    vi.stubGlobal('fetch', device.send)
    const offline = { engine: device.engine, refresh() {}, sendSoon() {}, update() {} } as unknown as Offline
    const type = async (code: string, direction: 'in' | 'out' = 'in') => {
      const fields = { code, source: 'typed', checkIn: true, ...(direction === 'out' && { direction }) } as const
      const sent = await sendScan(device.engine, offline, beginChange('/door/scan', fields), { ...fields, pageId: undefined }, 'UTC')
      if ('local' in sent) return `local ${sent.local.kind}`
      return sent.outcome === 'ok' ? `${sent.data.kind}${sent.data.replayed ? ' replayed' : ''}` : sent.outcome
    }
    const admitManually = async (ticket = shop.tickets[0]) => {
      const ticketId = String(ticket?.id)
      return (await sendManualChange(offline, ticketId, () => beginChange('/door/admit', { ticketId }))).outcome
    }
    return { ...shop, unlisted, device, type, admitManually }
  }

  it('repeats a scan that got no response, even if it has since let in another guest and not reported this yet', async () => {
    const { device, type } = await openPage()
    device.network.state = 'lost'
    expect(await type(strongCode(7))).toBe('offline')
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ isOffline: false, unsent: 1 })
    expect(await type(strongCode(7))).toBe('admitted replayed')
  })

  it('refuses another form of a used code if the server is back, but the device has not noticed this yet', async () => {
    const { device, type, history } = await openPage()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.state = 'up'
    expect([(await device.engine.status()).isOffline, await type('t8x2')]).toEqual([true, 'refused'])
    await device.engine.synchronize()
    expect([await type('t8x2'), await history(0)]).toEqual(['already_checked_in', [['CHECKEDIN', 'Gate 1']]])
  })

  // `lost`: the server records the request, but its response is lost. `down`: the request is lost.
  it.each([
    ['lost', 'down'],
    ['down', 'down'],
    ['lost', 'lost'],
    ['down', 'lost'],
  ] as const)('counts a guest once if the manual check-in (%s) and the scan (%s) got no response', async (first, second) => {
    const { sellerId, device, type, admitManually, history } = await openPage()
    device.network.state = first
    expect(await admitManually()).toBe('offline')
    device.network.state = second
    expect(await type(strongCode(0))).toBe('local admitted')
    expect(await type(strongCode(0))).toBe('local already_checked_in')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
    const { inside, devices } = await countTurnout(sellerId, undefined)
    expect([inside, devices.map(({ scans }) => scans.admitted)]).toEqual([1, [1]])
    // The check-in has received a response, so another one is a new change.
    expect([await admitManually(), await type(strongCode(0))]).toEqual(['ok', 'already_checked_in'])
  })

  it('after a manual check-in of a ticket that is not on the list got no response, counts the guest once', async () => {
    const { sellerId, unlisted, device, type, admitManually } = await openPage()
    const countEntries = async () => (await getTicketDetails(sellerId, String(unlisted.id), undefined)).history.length
    device.network.state = 'lost'
    expect(await admitManually(unlisted)).toBe('offline')
    // The response to the scan is lost, too, and the device cannot check the ticket itself.
    expect(await type(strongCode(7))).toBe('offline')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect([await type(strongCode(7)), await countEntries()]).toEqual(['admitted replayed', 1])
    expect([await type(strongCode(7)), await countEntries()]).toEqual(['already_checked_in', 1])
  })

  it('identifies the result of a scan that repeats a manual check-in by the reported ID, so that a conflict names the guest', async () => {
    const { device, admitManually } = await openPage()
    device.network.state = 'down'
    await admitManually()
    const request = { id: newId(), code: strongCode(0), checkIn: true, pageId: undefined }
    const result = await device.engine.scan(request)
    if (result.decidedBy !== 'device') throw new Error('not decided')
    const [queued] = await device.store.queued(1)
    expect(toLocalOutcome(result, request, 'UTC').details?.local?.scanId).toBe(queued?.id)
    expect(queued?.id).not.toBe(request.id)
  })

  it('after a manual check-in that got no response, shows the guest as let in once the server responds to a scan', async () => {
    const { device, type, admitManually, history } = await openPage()
    device.network.state = 'lost'
    expect(await admitManually()).toBe('offline')
    device.network.state = 'up'
    expect([await type(strongCode(0)), await type(strongCode(0))]).toEqual(['admitted replayed', 'already_checked_in'])
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
  })

  it('does not undo a manual check-in that got no response if it then refuses the ticket', async () => {
    const { sellerId, device, type, admitManually, history } = await openPage()
    device.network.state = 'lost'
    expect(await admitManually()).toBe('offline')
    device.network.state = 'up'
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await type(strongCode(0))).toBe('local already_checked_in')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
  })

  it('checks tickets locally if the server rejects the scans because of its rate limit, unless the device has no list', async () => {
    const { sellerId, addDevice, history } = await createShop(1)
    const device = await addDevice()
    const send: typeof device.send = (path, request) =>
      path === '/door/scan' ? Promise.resolve(Response.json({ message: 'Too many requests' }, { status: 429 })) : device.send(path, request)
    const engine = createEngine({ store: device.store, send, exclusively: (work) => work(), timeoutMs: 60_000 })
    const request = { code: strongCode(0), checkIn: true, pageId: undefined }
    expect(await engine.scan({ id: newId(), ...request })).toMatchObject({ decidedBy: 'server', response: { status: 429 } })
    await engine.synchronize()
    expect(await readKind(await engine.scan({ id: newId(), ...request }))).toBe('local admitted')
    expect(await engine.status()).toMatchObject({ isOffline: false, unsent: 1 })
    await engine.synchronize()
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
    // Only the server knows the ticket of a code in another form.
    expect(await engine.scan({ id: newId(), ...request, code: 'T8X2' })).toMatchObject({ decidedBy: 'server', response: { status: 429 } })
  })

  /** Opens a device that has let in the first guest offline, and not reported this yet. */
  async function openUnsent() {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.state = 'up'
    return { sellerId, device }
  }

  it('sends its scans right after an update if they could not be sent before it', async () => {
    const { sellerId, device } = await openUnsent()
    let attempts = 0
    const send: typeof device.send = (path, request) => {
      const isReport = path === '/door/scans' && !String(request.body).includes('"scans":[]')
      if (isReport) attempts += 1
      return isReport && attempts === 1 ? Promise.reject(new TypeError('failed to fetch')) : device.send(path, request)
    }
    const engine = createEngine({ store: device.store, send, exclusively: (work) => work() })
    await engine.synchronize()
    expect([attempts, await device.store.countQueue()]).toEqual([2, 0])
    // The list was read before the scans were sent, so the device must not forget the guest yet, however long ago the guest was let in.
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    await engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
    const { index } = await deriveCodeKey(fromBase64(String((await device.store.state())?.indexKey)), strongCode(1))
    await device.store.saveEntry({ index, at: 0 }, undefined)
    device.network.state = 'up'
    attempts = 0
    await engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('local already_checked_in')
  })

  it('counts the return of a guest who left after a manual check-in that got no response', async () => {
    const { sellerId, owner, device, type, admitManually, history } = await openPage({ pageId: 'f'.repeat(24) })
    await importLines('pages', sellerId, [minimal('pages', { id: 'f'.repeat(24), name: 'Jazz' })])
    await updateCheckoutPage(sellerId, 'f'.repeat(24), { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    device.network.state = 'lost'
    expect(await admitManually()).toBe('offline')
    device.network.state = 'up'
    expect(await type(strongCode(0), 'out')).toBe('checked_out')
    expect(await type(strongCode(0))).toBe('admitted')
    expect((await history(0)).map(([status]) => status)).toEqual(['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN'])
  })

  it('updates its list even if the server cannot record its scans, and still remembers the guests whom it has let in', async () => {
    const { sellerId, device } = await openUnsent()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    const send: typeof device.send = (path, request) =>
      path === '/door/scans' ? Promise.resolve(new Response(null, { status: 503 })) : device.send(path, request)
    // The clock is set forward, so that the device would forget guests whom it has let in and reported.
    const engine = createEngine({ store: device.store, send, now: () => Date.now() + MINUTE, exclusively: (work) => work() })
    expect(await engine.synchronize()).toBe(true)
    expect(await engine.status()).toMatchObject({ isOffline: false, tickets: 2, unsent: 1 })
    expect(await scan(device, strongCode(0))).toBe('local already_checked_in')
  })

  it('records a refused exit once, even while other scans are unsent', async () => {
    const { sellerId, tickets, addDevice } = await createShop(1, {}, true)
    const other = minimal('pages', { name: 'Blues' })
    await importLines('pages', sellerId, [other])
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(7), pageId: other.id })])
    const exit = { checkIn: true, direction: 'out', pageId: String(tickets[0]?.pageId) } as const
    const kinds: string[] = []
    for (const index of [7, 8]) kinds.push(await readKind(await device.engine.scan({ id: newId(), code: strongCode(index), ...exit })))
    expect(kinds).toEqual(['server other_event', 'server unknown'])
    expect((await countTurnout(sellerId, undefined)).devices).toMatchObject([{ scans: { other_event: 1, unknown: 1 } }])
  })

  it('readmits a guest whose check-out it has not reported yet', async () => {
    const { sellerId, owner, tickets, addDevice, history } = await createShop(1, {}, true)
    const pageId = String(tickets[0]?.pageId)
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'reentry' }, owner)
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    const pass = async (direction: 'in' | 'out') =>
      readKind(await device.engine.scan({ id: newId(), code: strongCode(0), checkIn: true, direction, pageId }))
    expect(await pass('in')).toBe('server admitted')
    device.network.state = 'down'
    expect(await pass('out')).toBe('local checked_out')
    Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect([await pass('in'), await pass('in'), await pass('out')]).toEqual([
      'local admitted',
      'local already_checked_in',
      'local checked_out',
    ])
    expect(await device.engine.status()).toMatchObject({
      isOffline: false,
      unsent: 4,
      isCountUncertain: false,
      countChanges: { length: 3 },
    })
    device.network.isRejected = () => false
    await device.engine.synchronize()
    expect((await history(0)).map(([status]) => status)).toEqual(['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN', 'UNCHECKEDIN'])
    expect([await listConflicts(sellerId), (await countTurnout(sellerId, undefined)).inside]).toEqual([[], 0])
  })

  it('does not decide or ask the server about a guest it has let in but not reported yet if the event now requires a connection', async () => {
    const { sellerId, owner, tickets, addDevice } = await createShop(2, {}, true)
    const pageId = String(tickets[0]?.pageId)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    const check = (index: number) => device.engine.scan({ id: newId(), code: strongCode(index), checkIn: true, pageId })
    expect(await readKind(await check(0))).toBe('local admitted')
    await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single', offlineAdmission: false }, owner)
    Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    expect(await check(0)).toEqual({ decidedBy: 'none', isUnsent: true })
    expect(await readKind(await check(1))).toBe('server admitted')
  })

  it('does not readmit a guest whose entry it has not reported yet, even if its list was deleted when the user signed out', async () => {
    const { sellerId, addDevice, history } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    expect(await scan(device, strongCode(1))).toBe('server admitted')
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
    await device.engine.synchronize()
    await device.engine.wipe()
    await device.engine.synchronize()
    expect([await scan(device, strongCode(0)), await history(0)]).toEqual(['local already_checked_in', []])
    device.network.isRejected = () => false
    // Without unsent scans, nothing is kept.
    await device.engine.report()
    expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
    const list = await device.store.state()
    const { index } = await deriveCodeKey(fromBase64(list?.indexKey ?? ''), strongCode(0))
    expect(await device.store.entered(index)).toBeDefined()
    await device.engine.wipe()
    expect(await device.store.entered(index)).toBeUndefined()
  })

  it.each(['is no longer listed', 'is being listed again'])(
    'does not let the server readmit a guest it has let in but not reported yet if the ticket %s, whichever form of the code is scanned',
    async (change) => {
      const { sellerId, owner, tickets, addDevice, history } = await createShop(2, { ticketShortId: 'T8X2' }, true)
      await importLines('tickets', sellerId, [minimal('tickets', { ...tickets[1], ticketShortId: 'T8X3' })])
      const [id, pageId] = [String(tickets[0]?.id), String(tickets[0]?.pageId)]
      const device = await addDevice('Gate 1', ['offline', 'names', 'search'])
      await device.engine.synchronize()
      device.network.state = 'down'
      expect(await scan(device, strongCode(0))).toBe('local admitted')
      Object.assign(device.network, { state: 'up', isRejected: (body: string) => body.includes('"scans"') })
      if (change === 'is no longer listed')
        await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy: 'single', offlineAdmission: false }, owner)
      await device.engine.synchronize()
      const list = await device.store.state()
      if (!list) throw new Error('no list')
      if (change === 'is being listed again')
        await device.store.savePage({ reset: true, entries: [] } as unknown as TicketListPage, { ...list, isComplete: false }, list.cursor)
      const unlisted = change === 'is being listed again' ? undefined : { guests: [], hasMore: false }
      expect(await device.engine.findGuests('guest', undefined)).toEqual(unlisted)
      for (const code of [strongCode(0), 't8x2'])
        expect(await device.engine.scan({ id: newId(), code, checkIn: true, pageId })).toEqual({ decidedBy: 'none', isUnsent: true })
      expect([await device.engine.prepareChange(id), await scan(device, 't8x3')]).toEqual([false, 'server admitted'])
      device.network.isRejected = () => false
      await device.engine.synchronize()
      expect([await device.engine.prepareChange(id), await scan(device, 't8x2')]).toEqual([true, 'server already_checked_in'])
      expect([await history(0), await listConflicts(sellerId)]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
    },
  )

  it('reports times on the server’s clock, and an override as a conflict', async () => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice('Gate 1', ['offline'], 600_000)
    await device.engine.synchronize()
    device.network.state = 'down'
    const start = Date.now()
    await device.engine.override({ id: newId(), code: 'paper-ticket', checkIn: true, pageId: undefined })
    device.network.state = 'up'
    await device.engine.synchronize()
    const [conflict] = await listConflicts(sellerId)
    expect(conflict).toMatchObject({ kind: 'unknown_code', isOverride: true, scannedBy: 'Gate 1' })
    expect(Math.abs(Date.parse(String(conflict?.at)) - start)).toBeLessThan(60_000)
  })

  it('reports a guest who was let in after the code was shown as unknown, as a single conflict', async () => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    const request = { id: newId(), code: 'paper-ticket', checkIn: true, pageId: undefined }
    expect(await readKind(await device.engine.scan(request))).toBe('local unknown')
    await device.engine.override(request)
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'unknown_code', isOverride: true }])
  })

  it('does not show a guest who was let in with an unlisted code as checked out in a preview', async () => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    device.network.state = 'down'
    const request = { id: newId(), code: 'paper-ticket', checkIn: true, pageId: undefined }
    await device.engine.override(request)
    const leave = async (checkIn: boolean) => readKind(await device.engine.scan({ ...request, id: newId(), checkIn, direction: 'out' }))
    expect([await leave(false), await leave(true)]).toEqual(['local previewed', 'local checked_out'])
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await countTurnout(sellerId, undefined)).toMatchObject({ inside: 0 })
  })

  it('finds guests by name on its list, and checks them in without their code', async () => {
    const { sellerId, tickets, addDevice, history } = await createShop(30, {}, true)
    const renée: Line = minimal('tickets', { ...tickets[0], customerName: 'Renée Ørsted', orderId: 'BK-7' })
    await importLines('tickets', sellerId, [renée])
    const device = await addDevice('Gate 1', ['offline', 'names', 'search'])
    await device.engine.synchronize()
    device.network.state = 'down'
    const find = async (term: string, pageId?: string) => device.engine.findGuests(term, pageId)
    expect(await find('guest')).toMatchObject({ guests: { length: 20 }, hasMore: true })
    for (const term of ['orsted', 'ØRSTED renee', 'bk-7'])
      expect((await find(term))?.guests.map(({ name }) => name)).toEqual(['Renée Ørsted'])
    expect(await find('orsted', 'f'.repeat(24))).toEqual({ guests: [], hasMore: false })
    const [guest] = (await find('orsted', String(renée.pageId)))?.guests ?? []
    if (!guest) throw new Error('no guest')
    expect([guest.ticketId, guest.decision.kind]).toEqual([renée.id, 'previewed'])
    const admit = (id = newId()) => device.engine.scan({ id, checkIn: true, pageId: undefined, ...guest })
    expect(await readKind(await admit())).toBe('local admitted')
    // The code counts as used, because someone else may have a copy.
    expect(await scan(device, strongCode(0))).toBe('local already_checked_in')
    expect((await find('orsted'))?.guests.map(({ decision }) => decision.kind)).toEqual(['already_checked_in'])
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await listConflicts(sellerId)).toEqual([])
    // With a connection, the server checks the ticket.
    expect(await readKind(await admit())).toBe('server already_checked_in')
    // The search key is only in the page's memory.
    const next = await openDevice(device.cookie, device.storage)
    next.network.state = 'down'
    expect(await next.engine.findGuests('orsted', undefined)).toBeUndefined()
  })

  it('finds guests by name whom an update in another tab has added', async () => {
    const { sellerId, tickets, addDevice } = await createShop(1, {}, true)
    const first = await addDevice('Gate 1', ['offline', 'names', 'search'])
    const second = await openDevice(first.cookie, first.storage)
    for (const tab of [first, second]) await tab.engine.synchronize()
    expect(await second.engine.findGuests('hopper', undefined)).toMatchObject({ guests: [] })
    await importLines('tickets', sellerId, [
      minimal('tickets', { qrCode: strongCode(1), customerName: 'Grace Hopper', pageId: tickets[0]?.pageId }),
    ])
    for (const tab of [first, second]) await tab.engine.synchronize()
    expect(await second.engine.findGuests('hopper', undefined)).toMatchObject({ guests: [{ name: 'Grace Hopper' }] })
  })

  it.each(['ticket', 'name'])('finds the other guests if the %s in one entry of its list cannot be decrypted', async (part) => {
    const { addDevice } = await createShop(2, {}, true)
    const device = await addDevice('Gate 1', ['offline', 'names', 'search'])
    await device.engine.synchronize()
    const [list, [entry]] = [await device.store.state(), await device.store.entries('', 1)]
    if (!list || !entry?.name) throw new Error('no list')
    const damage = (bytes: Uint8Array, isDamaged: boolean) => toBase64(isDamaged ? bytes.map((byte) => 255 - byte) : bytes)
    const entries = [[entry.ref, entry.index, damage(entry.sealed, part === 'ticket'), damage(entry.name, part === 'name')]]
    await device.store.savePage({ reset: false, entries } as TicketListPage, list, list.cursor)
    expect(await device.engine.findGuests('guest', undefined)).toMatchObject({ guests: { length: 1 } })
  })

  it('lets the server check tickets even while it is too busy to send the list', async () => {
    const { addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'busy'
    expect(await device.engine.synchronize()).toBe(false)
    expect(await scan(device, strongCode(0))).toBe('server admitted')
  })

  it.each([
    // The codes are strong, because deriving the keys of weak codes is slow.
    ['400 characters', `${strongCode(9)}-${'x'.repeat(371)}`],
    ['the maximum length for a ticket', `${strongCode(9)}-${'🎫'.repeat(483)}`],
    ['the maximum length for a QR code', `${strongCode(9)}-${'x'.repeat(2_871)}`],
  ])('reports a code of %s, and all scans after it', async (_, code) => {
    const { sellerId, addDevice, history } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    // The device notices that it is offline, so that the first scan is not sent, and its refusal is not held back.
    await device.engine.synchronize()
    for (let index = 0; index < 90; index += 1) await scan(device, code)
    await device.engine.override({ id: newId(), code, checkIn: true, pageId: undefined })
    expect(await scan(device, strongCode(0))).toBe('local admitted')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 0 })
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'unknown_code', isOverride: true }])
  })

  it.each([
    ['NUL', `${strongCode(9)}\u0000`],
    ['malformed Unicode', `${strongCode(9)}\ud800`],
  ])('reports a code with %s, which cannot be stored, as an unknown code', async (_, code) => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice('Gate 1', ['offline', 'checkout'])
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, code)).toBe('local unknown')
    for (let guests = 0; guests < 2; guests += 1) await device.engine.override({ id: newId(), code, checkIn: true, pageId: undefined })
    await device.engine.scan({ id: newId(), code, checkIn: true, direction: 'out', pageId: undefined })
    device.network.state = 'up'
    await device.engine.synchronize()
    const conflict = { kind: 'unknown_code', isOverride: true }
    expect([await listConflicts(sellerId), await countTurnout(sellerId, undefined)]).toMatchObject([[conflict, conflict], { inside: 1 }])
  })

  it('halves a batch that the server rejects, so that one scan cannot block the others', async () => {
    const { addDevice, history } = await createShop(9)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    const ids = Array.from({ length: 9 }, newId).toSorted()
    for (const [index, id] of ids.entries()) await scan(device, strongCode(index), id)
    device.network.state = 'up'
    const sizes: number[] = []
    device.network.isRejected = (body) => {
      sizes.push((JSON.parse(body) as { scans: unknown[] }).scans.length)
      return body.includes(String(ids[3]))
    }
    expect(await device.engine.synchronize()).toBe(true)
    // The first request checks whether the server responds again. The batches grow again after each success.
    expect(sizes).toEqual([0, 9, 5, 3, 6, 3, 2, 1, 2, 3])
    expect(await device.engine.status()).toMatchObject({ unsent: 1 })
    for (let index = 0; index < 9; index += 1) expect(await history(index)).toHaveLength(index === 3 ? 0 : 1)
    // The scan is sent again, and is recorded once the server accepts it.
    device.network.isRejected = () => false
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ unsent: 0 })
    expect(await history(3)).toEqual([['CHECKEDIN', 'Gate 1']])
  })

  it('admits one guest if two tabs scan the same code concurrently', async () => {
    const { addDevice } = await createShop(8)
    const first = await addDevice()
    await first.engine.synchronize()
    const tabs = await Promise.all([1, 2].map(() => openDevice(first.cookie, first.storage)))
    for (const tab of tabs) tab.network.state = 'down'
    for (let index = 0; index < 8; index += 1) {
      const kinds = await Promise.all(tabs.map((tab) => scan(tab, strongCode(index))))
      expect(kinds.toSorted()).toEqual(['local admitted', 'local already_checked_in'])
    }
  })

  it('does not check tickets with the list of another shop, which another tab has loaded, and loads its own list again', async () => {
    const [mine, theirs] = [await createShop(1), await createShop(1)]
    const showPage = (sellerId: string) => vi.stubGlobal('document', { querySelector: () => ({ content: sellerId }) })
    const device = await mine.addDevice()
    const { cookie } = await makeDevice(theirs.sellerId, theirs.owner, { name: 'Gate 2', rights: ['offline'] })
    const otherTab = await openDevice(cookie, device.storage)
    showPage(mine.sellerId)
    await device.engine.synchronize()
    showPage(theirs.sellerId)
    expect(await otherTab.engine.status()).toMatchObject({ tickets: 0, isComplete: false })
    await otherTab.engine.synchronize()
    showPage(mine.sellerId)
    device.network.state = 'down'
    const kind = await scan(device, strongCode(0))
    expect([kind, await device.engine.status()]).toMatchObject(['none', { tickets: 0, isComplete: false, unsent: 0 }])
    device.network.state = 'up'
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, strongCode(0))).toBe('local admitted')
  })

  it('reports its scans to a server with a newer version, and keeps using its list', async () => {
    const { addDevice, history } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    await scan(device, strongCode(0))
    Object.assign(device.network, { state: 'up', hasNewerProtocol: true })
    expect(await device.engine.synchronize()).toBe(true)
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await device.engine.status()).toMatchObject({ isOutdated: true, isComplete: true, tickets: 2, unsent: 0 })
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('local admitted')
  })

  it('reports its scans and deletes its list the next time it contacts the server after being revoked', async () => {
    const { sellerId, owner, addDevice, history } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    await scan(device, strongCode(0))
    await revokeDevice(sellerId, device.id, owner)
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await history(0)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await device.engine.status()).toMatchObject({ isEnded: true, tickets: 0, unsent: 0 })
    device.network.state = 'down'
    expect(await scan(device, strongCode(1))).toBe('none')
  })

  it('deletes its list, but not its scans, if its first request is a scan more than 30 days after it was revoked', async () => {
    const { sellerId, owner, addDevice } = await createShop(2)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    await scan(device, strongCode(0))
    await revokeDevice(sellerId, device.id, owner)
    await backdateRevocation(device.id)
    device.network.state = 'up'
    // The page was reloaded since, so it does not know that the server was unreachable.
    const { engine, store } = await openDevice(device.cookie, device.storage)
    const request = { id: newId(), code: strongCode(1), checkIn: true, pageId: undefined }
    expect(await engine.scan(request)).toMatchObject({ decidedBy: 'server', response: { status: 401 } })
    expect([await store.state(), await store.countTickets(), await store.countQueue()]).toEqual([undefined, 0, 1])
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
  const { tickets, addDevice } = await createShop(40, {}, true)
  const device = await addDevice('Gate 1', ['offline', 'names', 'search'])
  await device.engine.synchronize()
  await scan(device, strongCode(0))
  const { searchKey } = (await (await device.send('/door/tickets', {})).json()) as TicketListPage
  device.network.state = 'down'
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
  // simulation.test.ts covers more guests, doors and faults.
  it('record every scan once, and every double entry as one conflict', async () => {
    const { sellerId, addDevice, history } = await createShop(60)
    let state = 7_919
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const devices = await Promise.all([0, 1, 2, 3].map((index) => addDevice(`Gate ${index}`, ['offline'], (random(20) - 10) * 60_000)))
    for (const { engine } of devices) await engine.synchronize()
    const guests = Array.from({ length: 60 }, (_, index) => ({ code: strongCode(index), door: random(4) }))
    const copies = guests.slice(0, 8).map(({ code, door }) => ({ code, door: (door + 1) % 4 }))
    const scans = [...guests, ...copies].toSorted(() => random(3) - 1)
    const states: NetworkState[] = ['up', 'down', 'lost']
    const shown = new Map<string, number>()
    for (const [index, { code, door }] of scans.entries()) {
      const device = devices[door]
      if (!device) continue
      if (index % 5 === 0) device.network.state = states[random(3)] ?? 'up'
      const kind = await scan(device, code)
      if (kind.endsWith(' admitted')) shown.set(code, (shown.get(code) ?? 0) + 1)
      if (index % 9 === 0) await device.engine.synchronize()
    }
    // One page is killed, and its device continues with the stored data.
    const [killed, ...others] = devices
    if (!killed) throw new Error('no device')
    const all = [await openDevice(killed.cookie, killed.storage), ...others]
    for (const device of all.toSorted(() => random(3) - 1)) {
      device.network.state = 'lost'
      await device.engine.synchronize()
      device.network.state = 'up'
      await device.engine.synchronize()
      expect((await device.engine.status()).unsent).toBe(0)
    }
    for (let index = 0; index < 60; index += 1) expect([index, (await history(index)).length]).toEqual([index, 1])
    const doubles = [...shown.values()].reduce((sum, count) => sum + count - 1, 0)
    expect((await listConflicts(sellerId)).filter(({ kind }) => kind === 'double_entry')).toHaveLength(doubles)
  })
})
