/** The stream of check-in counts: its updates, its limits, and when it is closed. */
// @module-tag slow
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { revokeDevice } from '@/lib/accounts/check-in-devices'
import { streamCounts } from '@/lib/http/count-streams'
import { startDraining } from '@/lib/http/health-routes'
import { doorRequest, makeDevice, makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { POST as scan } from '../scan/route'
import { GET as counts } from './route'

beforeAll(openTestDatabase)
const serverState = globalThis as { checkoutDeskDraining?: boolean }
afterEach(() => {
  serverState.checkoutDeskDraining = false
})

/** Creates a shop with one ticket and a device. @returns functions that open the stream, check in the ticket, and add and revoke devices */
async function createShop() {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  await importLines('tickets', sellerId, [minimal('tickets', { qrCode: 'code' })])
  const { id, cookie } = await makeDevice(sellerId, owner)
  const open = (device = cookie) => counts(doorRequest('/door/counts?pageId=', device))
  const admit = () => scan(doorRequest('/door/scan', cookie, { key: 'one', code: 'code', checkIn: true }))
  const addDevice = async () => (await makeDevice(sellerId, owner)).cookie
  const revoke = () => revokeDevice(sellerId, id, owner)
  return { cookie, open, admit, addDevice, revoke }
}

/** Yields the messages of a stream, without its comments. */
async function* readMessages(response: Response) {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    const text = decoder.decode(chunk as Uint8Array)
    if (text.startsWith('data: ')) yield JSON.parse(text.slice(6)) as { attended: number; inside: number; sold: number }
  }
}

describe('GET /door/counts', () => {
  it('sends the current counts, and new ones after a scan', async () => {
    const { open, admit } = await createShop()
    const response = await open()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const stream = readMessages(response)
    expect((await stream.next()).value).toMatchObject({ attended: 0, inside: 0, sold: 1 })
    await admit()
    expect((await stream.next()).value).toMatchObject({ attended: 1, inside: 1 })
    await stream.return(undefined)
  })

  it('sends counts with the server’s time, but only if the counts themselves have changed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: 1_000 })
    try {
      let attended = 0
      const reader = { sellerId: 'seller', actorId: 'device', isAllowed: async () => true }
      const stream = readMessages(streamCounts(reader, '', async () => ({ attended })))
      expect((await stream.next()).value).toEqual({ attended: 0, at: 1_000 })
      await vi.advanceTimersByTimeAsync(2_000)
      attended = 1
      await vi.advanceTimersByTimeAsync(1_000)
      expect((await stream.next()).value).toEqual({ attended: 1, at: 4_000 })
      await stream.return(undefined)
    } finally {
      vi.useRealTimers()
    }
  })

  it('sends pages that join another one only counts that were read since, and reads them once for all of these pages', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: 1_000 })
    try {
      const reads: ((attended: number) => void)[] = []
      const read = () => new Promise<object>((resolve) => reads.push((attended) => resolve({ attended })))
      const open = () => readMessages(streamCounts({ sellerId: 'seller', actorId: 'device', isAllowed: async () => true }, 'joined', read))
      const first = open()
      const flush = () => vi.advanceTimersByTimeAsync(0)
      await flush()
      reads[0]?.(0)
      expect((await first.next()).value).toMatchObject({ attended: 0 })
      await vi.advanceTimersByTimeAsync(1_000)
      expect(reads).toHaveLength(2)
      const others = [open(), open()]
      reads[1]?.(1)
      expect((await first.next()).value).toMatchObject({ attended: 1 })
      await flush()
      // The counts have not changed since, but these pages have none yet.
      reads[2]?.(1)
      for (const other of others) expect((await other.next()).value).toMatchObject({ attended: 1 })
      expect(reads).toHaveLength(3)
      const last = open()
      reads[3]?.(2)
      expect((await last.next()).value).toMatchObject({ attended: 2 })
      await Promise.all([first, ...others, last].map((stream) => stream.return(undefined)))
    } finally {
      vi.useRealTimers()
    }
  })

  it('sends the time of the latest counts to a page that opens the stream while they cannot be read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: 1_000 })
    try {
      const read = vi.fn(async () => ({ attended: 0 })).mockRejectedValue(new Error('The database is unavailable.'))
      read.mockResolvedValueOnce({ attended: 0 })
      const open = () => readMessages(streamCounts({ sellerId: 'seller', actorId: 'device', isAllowed: async () => true }, 'unread', read))
      const first = open()
      await first.next()
      await vi.advanceTimersByTimeAsync(5_000)
      const second = open()
      expect((await second.next()).value).toEqual({ attended: 0, at: 1_000 })
      await Promise.all([first, second].map((stream) => stream.return(undefined)))
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends when the server starts draining, and new streams are refused from then on', async () => {
    const { open } = await createShop()
    const stream = readMessages(await open())
    await stream.next()
    startDraining()
    expect((await stream.next()).done).toBe(true)
    expect((await open()).status).toBe(503)
  })

  it('is limited per seller, and an additional stream is rejected with a hint to poll', async () => {
    const { open, addDevice } = await createShop()
    const streams: Response[] = []
    for (const device of [await addDevice(), await addDevice()]) for (let n = 0; n < 50; n += 1) streams.push(await open(device))
    expect(streams.map(({ status }) => status)).toEqual(Array(100).fill(200))
    const refused = await open()
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('/door/turnout')
    await streams[0]?.body?.cancel()
    const next = await open()
    expect(next.status).toBe(200)
    for (const { body } of [...streams.slice(1), next]) await body?.cancel()
    const other = await createShop()
    const theirs = await other.open()
    expect(theirs.status).toBe(200)
    await theirs.body?.cancel()
  })

  it('is limited per device, so that one device cannot use up its seller’s streams', async () => {
    const { open, addDevice } = await createShop()
    const streams: Response[] = []
    while (streams.length < 50) streams.push(await open())
    expect((await open()).status).toBe(429)
    streams.push(await open(await addDevice()))
    expect(streams.map(({ status }) => status)).toEqual(Array(51).fill(200))
    for (const { body } of streams) await body?.cancel()
  })

  it('ends within 15 seconds after its device is revoked', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { open, revoke } = await createShop()
      const stream = readMessages(await open())
      await stream.next()
      await vi.advanceTimersByTimeAsync(15_000)
      await revoke()
      const rest = stream.next()
      await vi.advanceTimersByTimeAsync(15_000)
      expect((await rest).done).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  it('requires a session or a device', async () => {
    expect((await counts(doorRequest('/door/counts?pageId=', ''))).status).toBe(401)
  })
})
