/** An action whose response was lost is not repeated. Everything else is still repeated by `useOffline`. */
import { afterEach, expect, test, vi } from 'vitest'
import { sendOnce } from './send-once'

const action = { method: 'POST', headers: { 'next-action': 'abc' } }
const failure = new TypeError('Failed to fetch')

afterEach(() => vi.unstubAllGlobals())

/** Returns the error of a request whose connection fails. Next.js repeats all but aborts. */
async function failWith(init: RequestInit, onLine: boolean) {
  vi.stubGlobal('navigator', { onLine })
  const onLost = vi.fn()
  const send = sendOnce(() => Promise.reject(failure), onLost)
  const error = await send('/', init).catch((reason: unknown) => reason)
  return { error, lost: onLost.mock.calls.length }
}

test('an action that might have arrived ends with an abort, which Next.js does not repeat', async () => {
  const { error, lost } = await failWith(action, true)
  expect(error).toMatchObject({ name: 'AbortError' })
  expect(error).toBeInstanceOf(DOMException)
  expect(lost).toBe(1)
})

test('an action that starts offline, and a navigation, keep their error', async () => {
  expect(await failWith(action, false)).toEqual({ error: failure, lost: 0 })
  expect(await failWith({}, true)).toEqual({ error: failure, lost: 0 })
})

test('a response passes unchanged', async () => {
  const response = new Response('ok')
  vi.stubGlobal('navigator', { onLine: true })
  expect(await sendOnce(async () => response, vi.fn())('/', action)).toBe(response)
})
