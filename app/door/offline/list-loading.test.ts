/** The ticket list loads in the background, in parts, and does not start over after an interruption. */
// @module-tag slow
import 'fake-indexeddb/auto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TicketListPage } from '@/lib/admission/sealed-ticket'
import { newId } from '@/testing/devices'
import { createShop, openDevice, scan, strongCode } from '@/testing/offline-device'
import { openTestDatabase } from '@/testing/seller'
import { createEngine } from './engine'

beforeAll(openTestDatabase)
afterEach(() => {
  vi.useRealTimers()
})

/** Enough tickets for three parts of the list, each with at most `PART` entries. */
const TICKETS = 1_100
const PART = 500

/** Returns an engine that loads the first part of the device's list, and loses the connection before the second part arrives. */
function interruptAfterFirstPart(device: Awaited<ReturnType<typeof openDevice>>) {
  let parts = 0
  device.network.onListRequest = () => {
    parts += 1
    if (parts === 2) device.network.state = 'down'
  }
  const send = device.send
  return createEngine({
    store: device.store,
    exclusively: (work) => work(),
    send: async (path, request) => {
      const response = await send(path, request)
      if (device.network.state === 'down') throw new TypeError('connection lost')
      return response
    },
  })
}

describe('a ticket list that takes a long time to load', () => {
  it('does not delay scans, because the server checks the tickets', async () => {
    const { addDevice } = await createShop(TICKETS)
    const device = await addDevice()
    let isHeld = false
    let release = () => {}
    device.network.onListRequest = () =>
      new Promise<void>((resolve) => {
        isHeld = true
        release = resolve
      })
    const loading = device.engine.synchronize()
    await vi.waitUntil(() => isHeld)
    expect(await scan(device, strongCode(7))).toBe('server admitted')
    expect(await device.engine.status()).toMatchObject({ tickets: 0, isComplete: false })
    delete device.network.onListRequest
    release()
    expect(await loading).toBe(true)
    expect(await device.engine.status()).toMatchObject({ tickets: TICKETS, isComplete: true })
  })

  it('continues loading where it was interrupted, even after a reload, and is not used for decisions before it is complete', async () => {
    const { addDevice } = await createShop(TICKETS)
    const device = await addDevice()
    const interrupted = interruptAfterFirstPart(device)
    expect(await interrupted.synchronize()).toBe(false)
    expect(await interrupted.status()).toMatchObject({ tickets: PART, isComplete: false, isOffline: true })
    expect(await scan({ engine: interrupted }, strongCode(0))).toBe('none')

    const next = await openDevice(device.cookie, device.storage)
    const loaded: number[] = []
    const resumed = createEngine({
      store: next.store,
      exclusively: (work) => work(),
      send: async (path, request) => {
        const response = await next.send(path, request)
        loaded.push(((await response.clone().json()) as TicketListPage).entries.length)
        return response
      },
    })
    expect(await resumed.synchronize()).toBe(true)
    // The first part is not sent again. The last response contains only changes.
    expect(loaded.slice(0, 2)).toEqual([PART, TICKETS - 2 * PART])
    expect(await resumed.status()).toMatchObject({ tickets: TICKETS, isComplete: true })
    next.network.state = 'down'
    expect(await scan(next, strongCode(1_099))).toBe('local admitted')
  })

  it('contains the check-ins at other doors while it was loading', async () => {
    const { tickets, addDevice } = await createShop(TICKETS)
    const [device, other] = [await addDevice('Gate 1'), await addDevice('Gate 2')]
    await interruptAfterFirstPart(device).synchronize()
    const [first] = tickets.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
    expect(await scan(other, String(first?.qrCode))).toBe('server admitted')
    delete device.network.onListRequest
    device.network.state = 'up'
    await device.engine.synchronize()
    device.network.state = 'down'
    expect(await scan(device, String(first?.qrCode))).toBe('local already_checked_in')
  })
})

it('a slow response does not change the measured clock offset, but a change to the device’s clock does', async () => {
  const { addDevice } = await createShop(1)
  const device = await addDevice()
  let aheadMs = 0
  /** How long requests and responses take, and how long all of them have taken so far, in milliseconds. Both clocks advance meanwhile. */
  const delay = { request: 0, response: 0 }
  let elapsedMs = 0
  const engine = createEngine({
    store: device.store,
    exclusively: (work) => work(),
    now: () => Date.now() + elapsedMs + aheadMs,
    send: async (path, request) => {
      elapsedMs += delay.request
      const page = (await (await device.send(path, request)).json()) as TicketListPage
      const serverNow = Date.parse(page.now) + elapsedMs
      elapsedMs += delay.response
      return Response.json({ ...page, now: new Date(serverNow).toISOString() })
    },
  })
  /** Returns the measured offset of a clock that is `offset` ms ahead. */
  async function measure(offset: number, request = 0, response = 0) {
    aheadMs = offset
    Object.assign(delay, { request, response })
    await engine.synchronize()
    return (await device.store.state())?.clockOffset
  }
  /** Accepts a difference of 5 s, because the tests share a busy machine. */
  const about = (offset: number) => expect.closeTo(offset, -4)
  expect(await measure(0, 0, 20_000)).toEqual(about(10_000))
  expect(await measure(0)).toEqual(about(0))
  expect([await measure(0, 0, 20_000), await measure(0, 20_000, 0), await measure(0, 10_000, 10_000)]).toEqual([
    about(0),
    about(0),
    about(0),
  ])
  expect([await measure(600_000), await measure(600_000, 0, 20_000), await measure(0)]).toEqual([about(600_000), about(600_000), about(0)])
})

it('a server that does not respond delays the first result by 1.2 seconds, and does not delay later ones', async () => {
  const { addDevice } = await createShop(2)
  const device = await addDevice()
  await device.engine.synchronize()
  device.network.state = 'silent'
  let isAsked = false
  const send: typeof device.send = (path, request) => {
    isAsked = true
    return device.send(path, request)
  }
  const engine = createEngine({ store: device.store, send, exclusively: (work) => work() })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const request = (index: number) => ({ id: newId(), code: strongCode(index), checkIn: true, pageId: undefined })
  let decidedBy: string | undefined
  const first = engine.scan(request(0)).then((result) => {
    decidedBy = result.decidedBy
    return result
  })
  const nextLoop = () => new Promise((resolve) => setImmediate(resolve))
  while (!isAsked) await nextLoop()
  vi.advanceTimersByTime(1_199)
  await nextLoop()
  expect(decidedBy).toBeUndefined()
  vi.advanceTimersByTime(1)
  expect(await first).toMatchObject({ decidedBy: 'device', decision: { kind: 'admitted' } })
  expect(await engine.scan(request(1))).toMatchObject({ decidedBy: 'device', decision: { kind: 'admitted' } })
})

it('a short ID is unknown without a connection, unlike the code of the same ticket', async () => {
  const { addDevice } = await createShop(1, { ticketShortId: 'T8X2' })
  const device = await addDevice()
  await device.engine.synchronize()
  device.network.state = 'down'
  expect([await scan(device, 'T8X2'), await scan(device, strongCode(0))]).toEqual(['local unknown', 'local admitted'])
})
