/**
 * Tests that a device keeps its entries and exits until its list includes them, and how often it contacts a server that does not respond.
 */
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { newKey } from '../door-client'
import { createEngine } from './engine'
import { openStore } from './store'
import { createTransfer } from './transfer'

const PAGE = {
  ...{ protocol: 1, reset: false, entries: [], cursor: 'a', indexKey: 'aa', scanKey: 'aa', now: new Date().toISOString(), timeZone: 'UTC' },
  ...{ events: [], hasMore: false },
}

afterEach(() => void vi.useRealTimers())

/**
 * Creates a transfer with a server that rejects every scan, and responds to each request for the list with the next of the given pages.
 *
 * @param pages undefined for a request that fails
 */
async function open(pages: (Partial<typeof PAGE> | undefined)[]) {
  const store = await openStore(newKey())
  const request = async (path: string) => {
    if (path === '/door/scans') return Response.json({}, { status: 400 })
    const page = pages.shift()
    return page && Response.json({ ...PAGE, ...page })
  }
  const transfer = createTransfer(store, { request, probe: async () => true, isOffline: () => false }, Date.now)
  const remember = (index: string, sealed?: string) =>
    store.saveEntry({ index, at: Date.now() - 60_000 }, sealed === undefined ? undefined : { id: newKey(), sealed })
  const isRemembered = async (index: string) => (await store.entered(index)) !== undefined
  return { transfer, remember, isRemembered }
}

it('forgets entries that the list includes, except one whose scan the server rejects', async () => {
  const { transfer, remember, isRemembered } = await open([{}, {}])
  await remember('recorded')
  await remember('rejected', 'a scan')
  await transfer.run()
  expect([await isRemembered('recorded'), await isRemembered('rejected')]).toEqual([false, true])
})

it('does not forget an entry while it resumes an update that was interrupted after the page with the ticket', async () => {
  const { transfer, remember, isRemembered } = await open([{ hasMore: true }, undefined, {}, {}])
  expect(await transfer.run()).toBe('offline')
  await remember('recorded')
  expect([await transfer.run(), await isRemembered('recorded')]).toEqual(['updated', true])
  expect([await transfer.run(), await isRemembered('recorded')]).toEqual(['updated', false])
})

/**
 * Creates an engine with an unsent scan and a clock that advances only while a request is pending.
 *
 * @param respond returns how many milliseconds a request takes, and its response. Without a response, the request hangs.
 * @returns the engine's `synchronize`, and the times at which requests were sent, in milliseconds
 */
async function openSlow(respond: (path: string, body: string) => { ms: number; response: unknown } | undefined) {
  const store = await openStore(newKey())
  await store.saveEntry(undefined, { id: newKey(), sealed: 'a scan' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const sentAt: number[] = []
  let pending = 0
  const send = (path: string, { body, signal }: RequestInit) => {
    sentAt.push(Date.now())
    pending += 1
    const responding = new Promise<Response>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new TypeError('aborted')))
      const result = respond(path, String(body))
      if (result) setTimeout(() => resolve(Response.json(result.response)), result.ms)
    })
    return responding.finally(() => {
      pending -= 1
    })
  }
  const engine = createEngine({ store, send, exclusively: (work) => work() })
  const synchronize = async () => {
    let isDone = false
    const synchronizing = engine.synchronize().finally(() => {
      isDone = true
    })
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve))
      if (pending > 0) vi.advanceTimersByTime(100)
    }
    return synchronizing
  }
  return { engine, synchronize, sentAt }
}

it('contacts a server that does not respond at least every 10 seconds if it is called 5 seconds after each attempt', async () => {
  const { engine, synchronize, sentAt } = await openSlow(() => undefined)
  await synchronize()
  expect((await engine.status()).isOffline).toBe(true)
  sentAt.length = 0
  for (let attempts = 0; attempts < 5; attempts += 1) {
    vi.advanceTimersByTime(5_000)
    expect(await synchronize()).toBe(false)
  }
  const gaps = sentAt.slice(1).map((at, index) => at - Number(sentAt[index]))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000)
})

it('sends its scans over a connection on which this takes 10 seconds', async () => {
  let isUp = false
  const { engine, synchronize } = await openSlow((path, body) => {
    if (!isUp) return undefined
    if (path !== '/door/scans') return { ms: 100, response: PAGE }
    const { scans } = JSON.parse(body) as { scans: { id: string }[] }
    return { ms: scans.length > 0 ? 10_000 : 100, response: { recorded: scans.map(({ id }) => id), wipe: false } }
  })
  await synchronize()
  expect(await engine.status()).toMatchObject({ isOffline: true, unsent: 1 })
  isUp = true
  expect(await synchronize()).toBe(true)
  expect(await engine.status()).toMatchObject({ isOffline: false, unsent: 0 })
})
