/** Tickets are not on a device's list if they were sold after its last update, or if the keys of their weak codes are not derived yet. */
// @module-tag slow
import 'fake-indexeddb/auto'
import { describe, expect, it, vi } from 'vitest'
import { deriveCodeKeys } from '@/lib/admission/code-keys'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { countTurnout } from '@/lib/admission/turnout'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { newId } from '@/testing/devices'
import { createShop, readKind, scan, strongCode } from '@/testing/offline-device'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, minimal } from '@/testing/seller'
import { beginChange } from '../door-client'
import { sendScan } from '../send-scan'
import type { Offline } from '../use-offline'
import { createEngine } from './engine'

// Uses its own database, because other tests derive every seller's keys.
withOwnDatabase()

const WEAK = 'TICKET-0000000001'
const makeWeakTicket = (number: number, overrides: Line = {}) => minimal('tickets', { qrCode: `TICKET-000000000${number}`, ...overrides })

const request = (code: string) => ({ id: newId(), code, checkIn: true, pageId: undefined })

/** Creates a shop with a ticket that has a weak code, and a device whose list lacks this ticket. */
async function createWeakShop() {
  const { sellerId, addDevice } = await createShop(2)
  const ticket = makeWeakTicket(1)
  await importLines('tickets', sellerId, [ticket])
  const device = await addDevice()
  await device.engine.synchronize()
  const history = async () => (await getTicketDetails(sellerId, String(ticket.id), undefined)).history.map(({ status }) => status)
  return { sellerId, ticket, device, status: () => device.engine.status(), history }
}

describe('a device whose list lacks tickets', () => {
  it('reports how many are missing until it has all of them', async () => {
    const { device, status } = await createWeakShop()
    expect(await status()).toMatchObject({ tickets: 2, waiting: 1, isComplete: true })
    await device.engine.synchronize()
    expect(await status()).toMatchObject({ waiting: 1 })
    await deriveCodeKeys()
    await device.engine.synchronize()
    expect(await status()).toMatchObject({ tickets: 3, waiting: 0 })
    device.network.state = 'down'
    expect(await scan(device, WEAK)).toBe('local admitted')
  })

  it('does not record a code as unknown if it may belong to one of them, and leaves the decision to the person at the door', async () => {
    const { sellerId, ticket, device, status } = await createWeakShop()
    device.network.state = 'down'
    // A strong code either is on the list or belongs to no ticket.
    const strong = await device.engine.scan(request(strongCode(9)))
    expect([await readKind(strong), 'waiting' in strong]).toEqual(['local unknown', false])
    const weak = request(WEAK)
    expect(await device.engine.scan(weak)).toMatchObject({ decidedBy: 'device', decision: { kind: 'unknown' }, waiting: 1 })
    expect(await status()).toMatchObject({ unsent: 1 })
    await device.engine.override(weak)
    expect(await scan(device, WEAK)).toBe('local already_checked_in')
    device.network.state = 'up'
    await device.engine.synchronize()
    const { guest } = await getTicketDetails(sellerId, String(ticket.id), undefined)
    expect([guest.checkInStatus, await listConflicts(sellerId)]).toEqual(['CHECKEDIN', []])
  })

  it('remembers whom it has let in with one of them, unless the check-in is undone', async () => {
    const { ticket, device, status } = await createWeakShop()
    expect(await scan(device, WEAK)).toBe('server admitted')
    await vi.waitUntil(async () => (await device.store.recorded()).length > 0, 60_000)
    const update = async () => {
      device.network.state = 'up'
      await device.engine.synchronize()
      device.network.state = 'down'
    }
    await update()
    expect([await status(), await scan(device, WEAK)]).toMatchObject([{ waiting: 1 }, 'local already_checked_in'])
    await update()
    device.engine.remember(String(ticket.id), { hasLeft: true })
    expect(await device.engine.scan(request(WEAK))).toMatchObject({ decision: { kind: 'unknown' }, waiting: 1 })
    await deriveCodeKeys()
    for (let updates = 0; updates < 2; updates += 1) await update()
    expect(await device.store.recorded()).toEqual([])
  })

  it('refuses one of them that the server has refused as canceled', async () => {
    const { sellerId, ticket, device, status } = await createWeakShop()
    await importLines('tickets', sellerId, [{ ...ticket, status: 'CANCELED' }])
    expect(await scan(device, WEAK)).toBe('server canceled')
    device.network.state = 'down'
    expect(await scan(device, WEAK)).toBe('local canceled')
    device.network.state = 'up'
    await device.engine.synchronize()
    device.network.state = 'down'
    expect([await status(), await scan(device, WEAK)]).toMatchObject([{ waiting: 1 }, 'local canceled'])
  })

  it('counts a guest once if the person at the door lets them in after the server admitted them but its response was lost', async () => {
    const { sellerId, device, status, history } = await createWeakShop()
    device.network.state = 'lost'
    const lost = request(WEAK)
    expect(await device.engine.scan(lost)).toMatchObject({ decidedBy: 'device', decision: { kind: 'unknown' }, waiting: 1 })
    expect(await device.engine.override(lost)).toBe(lost.id)
    expect(await scan(device, WEAK)).toBe('local already_checked_in')
    device.network.state = 'up'
    await device.engine.synchronize()
    expect([await status(), await history(), await listConflicts(sellerId)]).toMatchObject([{ unsent: 0 }, ['CHECKEDIN'], []])
    const { inside, devices } = await countTurnout(sellerId, undefined)
    expect([inside, devices.map(({ scans }) => scans.admitted)]).toEqual([1, [1]])
  })

  it('discards an undecided scan after the server has responded to its repetition', async () => {
    const { sellerId, device, status, history } = await createWeakShop()
    device.network.state = 'lost'
    const lost = request(WEAK)
    expect(await device.engine.scan(lost)).toMatchObject({ decidedBy: 'device', waiting: 1 })
    device.network.state = 'up'
    await device.engine.synchronize()
    expect(await status()).toMatchObject({ unsent: 1 })
    expect(await readKind(await device.engine.scan(lost))).toBe('server admitted')
    await device.engine.synchronize()
    expect([await status(), await history(), await listConflicts(sellerId)]).toMatchObject([{ unsent: 0 }, ['CHECKEDIN'], []])
  })

  it('reports that the guest was turned away if an undecided scan is not repeated within a minute', async () => {
    const { sellerId, device, history } = await createWeakShop()
    let aheadMs = 0
    const now = () => Date.now() + aheadMs
    const engine = createEngine({ store: device.store, send: device.send, now, exclusively: (work) => work(), timeoutMs: 60_000 })
    device.network.state = 'lost'
    const lost = request(WEAK)
    expect(await engine.scan(lost)).toMatchObject({ decidedBy: 'device', waiting: 1 })
    device.network.state = 'up'
    aheadMs = 60_000
    await engine.synchronize()
    expect([await engine.status(), await history()]).toMatchObject([{ unsent: 1 }, ['CHECKEDIN']])
    aheadMs = 65_000
    await engine.synchronize()
    expect([await engine.status(), await history()]).toMatchObject([{ unsent: 0 }, ['CHECKEDIN', 'UNCHECKEDIN']])
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'refused_in_error' }])
    // The refusal has been sent, so letting the guest in is recorded as another scan.
    device.network.state = 'down'
    expect(await engine.override(lost)).not.toBe(lost.id)
    device.network.state = 'up'
    await engine.synchronize()
    expect([await countTurnout(sellerId, undefined), await listConflicts(sellerId)]).toMatchObject([{ inside: 1 }, []])
  })

  it('reports a ticket as missing until the next update if its key was derived while the list was loading', async () => {
    const { sellerId, addDevice } = await createShop(0)
    // The first ticket of the first part of the list, whose key has not been derived yet.
    const first = makeWeakTicket(1, { id: `${'0'.repeat(20)}${newId().slice(0, 4)}` })
    const others = Array.from({ length: 600 }, (_, index) => minimal('tickets', { qrCode: strongCode(index) }))
    await importLines('tickets', sellerId, [first, ...others])
    const device = await addDevice()
    let parts = 0
    device.network.onListRequest = async () => {
      parts += 1
      if (parts === 2) await deriveCodeKeys()
    }
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 601, waiting: 1, isComplete: true })
    await device.engine.synchronize()
    expect(await device.engine.status()).toMatchObject({ tickets: 601, waiting: 0 })
  })
})

describe('a device whose list lacks a ticket with a strong code, which was sold after the last update', () => {
  /**
   * Scans such a ticket. The server admits the guest and its response is lost, but the device stays online, because a newer scan gets a
   * response.
   *
   * @returns the page's functions: `scanTicket` scans the ticket, and `synchronize` sends scans, if needed after a number of milliseconds
   */
  async function loseResponse() {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    const sold = minimal('tickets', { qrCode: strongCode(7) })
    await importLines('tickets', sellerId, [sold])
    let aheadMs = 0
    let other: Promise<string> | undefined
    const send: typeof device.send = async (path, init) => {
      const response = await device.send(path, init)
      if (path !== '/door/scan' || other) return response
      other = scan({ engine }, strongCode(0))
      expect(await other).toBe('server admitted')
      throw new TypeError('connection lost')
    }
    const now = () => Date.now() + aheadMs
    const engine = createEngine({ store: device.store, send, now, exclusively: (work) => work(), timeoutMs: 60_000 })
    const offline = { engine, refresh() {}, sendSoon() {} } as unknown as Offline
    const fields = { code: strongCode(7), source: 'camera', checkIn: true } as const
    const scanTicket = async () => {
      const sent = await sendScan(engine, offline, beginChange('/door/scan', fields), { ...fields, pageId: undefined }, 'UTC')
      if ('local' in sent) return sent.local
      return sent.outcome === 'ok' ? `${sent.data.kind}${sent.data.replayed ? ' replayed' : ''}` : sent.outcome
    }
    const synchronize = (afterMs = 0) => {
      aheadMs += afterMs
      return engine.synchronize()
    }
    const history = async () => (await getTicketDetails(sellerId, String(sold.id), undefined)).history.map(({ status }) => status)
    const shown = await scanTicket()
    expect([shown, (await engine.status()).isOffline]).toMatchObject([{ kind: 'unknown' }, false])
    return { sellerId, engine, scanTicket, synchronize, history, shown }
  }

  it('repeats a scan that got no response if the ticket is scanned again, and reports no refusal', async () => {
    const { sellerId, scanTicket, synchronize, history } = await loseResponse()
    expect(await scanTicket()).toBe('admitted replayed')
    await synchronize(65_000)
    expect([await history(), await listConflicts(sellerId)]).toEqual([['CHECKEDIN'], []])
  })

  it('counts the guest once if the person at the door lets them in anyway', async () => {
    const { sellerId, engine, synchronize, history, shown } = await loseResponse()
    const override = typeof shown === 'string' ? undefined : shown.details?.local?.override
    if (!override) throw new Error('The code cannot be overridden.')
    expect(await engine.override({ ...override, checkIn: true, pageId: undefined })).toBe(override.id)
    await synchronize()
    expect([await history(), await listConflicts(sellerId), await countTurnout(sellerId, undefined)]).toMatchObject([
      ['CHECKEDIN'],
      [],
      { inside: 2 },
    ])
  })

  it('reports that the guest was turned away if the ticket is not scanned again within a minute', async () => {
    const { sellerId, engine, synchronize, history } = await loseResponse()
    await synchronize(60_000)
    expect([await engine.status(), await history()]).toMatchObject([{ unsent: 1 }, ['CHECKEDIN']])
    await synchronize(5_000)
    expect([await engine.status(), await history()]).toMatchObject([{ unsent: 0 }, ['CHECKEDIN', 'UNCHECKEDIN']])
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'refused_in_error' }])
  })
})
