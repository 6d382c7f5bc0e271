/** A server action whose response was lost is not retried. `useOffline` still retries every other failed request. */
import { afterEach, expect, test, vi } from 'vitest'
import { sendOnce } from './send-once'

const action = { method: 'POST', headers: { 'next-action': 'abc' } }
const failure = new TypeError('Failed to fetch')

afterEach(() => vi.unstubAllGlobals())

/** Sends a request whose connection fails. Returns the error and how often `onLost` was called. */
async function sendAndLoseConnection(init: RequestInit, onLine: boolean) {
  vi.stubGlobal('navigator', { onLine })
  const onLost = vi.fn()
  const send = sendOnce(() => Promise.reject(failure), onLost)
  const error = await send('/', init).catch((reason: unknown) => reason)
  return { error, lostCalls: onLost.mock.calls.length }
}

test('rejects with an AbortError if the action might have reached the server, so that Next.js does not retry it', async () => {
  const { error, lostCalls } = await sendAndLoseConnection(action, true)
  expect(error).toMatchObject({ name: 'AbortError' })
  expect(error).toBeInstanceOf(DOMException)
  expect(lostCalls).toBe(1)
})

test('rejects with the original error for an action sent while offline, and for a navigation', async () => {
  expect(await sendAndLoseConnection(action, false)).toEqual({ error: failure, lostCalls: 0 })
  expect(await sendAndLoseConnection({}, true)).toEqual({ error: failure, lostCalls: 0 })
})

test('returns a response unchanged', async () => {
  const response = new Response('ok')
  vi.stubGlobal('navigator', { onLine: true })
  expect(await sendOnce(async () => response, vi.fn())('/', action)).toBe(response)
})
