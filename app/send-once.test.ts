/** Tests that a server action is not retried if it might have reached the server. `useOffline` still retries other failed requests. */
import { afterEach, expect, test, vi } from 'vitest'
import { toActionMessage } from './action-error'
import { sendOnce } from './send-once'

const action = { method: 'POST', headers: { 'next-action': 'abc' } }
const failure = new TypeError('Failed to fetch')

afterEach(() => vi.unstubAllGlobals())

/** Sends a request that loses its connection, and returns the error. */
function sendAndLoseConnection(init: RequestInit, onLine: boolean): Promise<unknown> {
  vi.stubGlobal('navigator', { onLine })
  return sendOnce(() => Promise.reject(failure))('/', init).catch((reason: unknown) => reason)
}

test('rejects with an AbortError if the action might have reached the server, so that Next.js does not retry it', async () => {
  const error = await sendAndLoseConnection(action, true)
  expect(error).toBeInstanceOf(DOMException)
  expect(error).toMatchObject({ name: 'AbortError' })
  expect(toActionMessage(error)).toBe('The connection was lost. Check whether your change was saved before you repeat it.')
})

test('rejects with the original error for an action sent while offline, and for a navigation', async () => {
  expect(await sendAndLoseConnection(action, false)).toBe(failure)
  expect(await sendAndLoseConnection({}, true)).toBe(failure)
})

test('rejects an action with an AbortError if the user has been signed out, so that the form can say so', async () => {
  vi.stubGlobal('navigator', { onLine: true })
  const error = await sendOnce(async () => new Response('', { status: 401 }))('/', action).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'AbortError' })
  expect(toActionMessage(error)).toBe('You have been signed out. Sign in from another tab, then try again here.')
})

test('rejects an action with an AbortError in an outage, but not if the action failed', async () => {
  vi.stubGlobal('navigator', { onLine: true })
  const respond = (status: number, init: RequestInit) => sendOnce(async () => new Response('', { status }))('/', init)
  for (const status of [502, 503, 504]) {
    const error = await respond(status, action).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'AbortError' })
    expect(toActionMessage(error)).toBe('The server is unavailable. Check whether your change was saved before you repeat it.')
    expect((await respond(status, {})).status).toBe(status)
  }
  expect((await respond(500, action)).status).toBe(500)
})

test('returns any other response unchanged', async () => {
  const response = new Response('ok')
  vi.stubGlobal('navigator', { onLine: true })
  expect(await sendOnce(async () => response)('/', action)).toBe(response)
})
