/** Updates wait for another tab of the same device, but not for a suspended one. */
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { newKey } from '../door-client'
import { createEngine } from './engine'
import { openStore } from './store'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

type Options = { signal?: AbortSignal; steal?: boolean }

/**
 * Stubs the browser's lock, which another tab holds. As specified, a request fails if its signal is aborted, or if another tab takes over
 * the lock that it holds.
 */
function holdLock() {
  let fail: (error: DOMException) => void = () => {}
  const request = <T>(_: string, { signal, steal }: Options, work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      fail = reject
      if (steal) work().then(resolve, reject)
      else signal?.addEventListener('abort', () => reject(signal.reason))
    })
  vi.stubGlobal('navigator', { locks: { request } })
  return { steal: () => fail(new DOMException('stolen', 'AbortError')) }
}

/** Opens an engine whose requests wait for `respond`. */
async function openEngine() {
  let respond = () => {}
  const send = vi.fn(
    () =>
      new Promise<Response>((resolve) => {
        respond = () => resolve(Response.json({}, { status: 404 }))
      }),
  )
  const engine = createEngine({ store: await openStore(newKey()), send })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const waitForRequest = async () => {
    while (send.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return { engine, send, waitForRequest, respond: () => respond() }
}

it('takes the lock after the other tab has held it for a minute', async () => {
  holdLock()
  const { engine, send, waitForRequest, respond } = await openEngine()
  const updating = engine.synchronize()
  await vi.advanceTimersByTimeAsync(59_999)
  expect(send).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await waitForRequest()
  respond()
  expect(await updating).toBe(true)
})

it('continues an update if another tab takes the lock', async () => {
  const { steal } = holdLock()
  const { engine, waitForRequest, respond } = await openEngine()
  const updating = engine.synchronize()
  await vi.advanceTimersByTimeAsync(60_000)
  await waitForRequest()
  steal()
  respond()
  expect(await updating).toBe(true)
})
