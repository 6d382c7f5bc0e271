/** A change without a response keeps its idempotency key for a minute. After that, repeating it is a new change. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { beginChange, fetchDoor, sendChange } from './door-client'
import type { Engine } from './offline/engine'
import { createServerLink } from './offline/server-link'
import { letInAnyway } from './send-scan'
import type { Offline } from './use-offline'

type SentRequest = { path: string; key: string; late?: true }

const sent: SentRequest[] = []
/** Returns the response to a request; undefined if the response is lost. */
let respond: (request: SentRequest) => { status: number; body: unknown } | undefined

beforeEach(() => {
  vi.useFakeTimers()
  sent.length = 0
  vi.stubGlobal('fetch', async (path: string, { body }: { body: string }) => {
    const request = { path, ...(JSON.parse(body) as { key: string }) }
    sent.push(request)
    const response = respond(request)
    if (!response) throw new TypeError('connection lost')
    return Response.json(response.body, { status: response.status })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const lose = () => undefined
const accept = () => ({ status: 200, body: { kind: 'admitted' } })

/** Sends a change, and waits for all of its attempts. */
async function send(code: string, path: '/door/scan' | '/door/metadata' = '/door/scan') {
  const result = sendChange(beginChange(path, { code }))
  await vi.advanceTimersByTimeAsync(5_000)
  return result
}

it('reuses the key of a scan without a response, and reports when it was first sent', async () => {
  respond = lose
  expect(await send('A1')).toEqual({ outcome: 'offline' })
  const start = Date.now() - 5_000
  respond = accept
  expect(await send('A1')).toEqual({ outcome: 'ok', data: { kind: 'admitted' }, firstSentAt: new Date(start) })
  expect(sent).toHaveLength(4)
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
  // There was a response, so the next scan of the same code is a new one.
  expect(await send('A1')).toEqual({ outcome: 'ok', data: { kind: 'admitted' } })
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
})

it('does not treat an automatic retry as a repeated scan', async () => {
  let lost = 0
  respond = () => (lost++ < 2 ? undefined : accept())
  expect(await send('A2')).toEqual({ outcome: 'ok', data: { kind: 'admitted' } })
})

it('sends the same code as a new scan if the clock has since been set back by more than a minute', async () => {
  respond = lose
  await send('A4')
  vi.setSystemTime(Date.now() - 3_600_000)
  respond = accept
  sent.length = 0
  expect(await send('A4')).toEqual({ outcome: 'ok', data: { kind: 'admitted' } })
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
})

it('sends the same code as a new scan after a minute, and resends the old scan with later ones until it gets a response', async () => {
  respond = lose
  await send('A3')
  const [{ key: old } = { key: '' }] = sent
  await vi.advanceTimersByTimeAsync(60_000)
  sent.length = 0
  // The new scan gets a response, and the old one is lost again.
  respond = ({ late }) => (late ? undefined : accept())
  expect(await send('A3')).toEqual({ outcome: 'ok', data: { kind: 'admitted' } })
  expect(sent[0]?.key).not.toBe(old)
  expect(sent.slice(1)).toEqual([{ path: '/door/scan', code: 'A3', key: old, late: true }])
  respond = accept
  sent.length = 0
  await send('B3')
  expect(sent.map(({ key, late }) => [key === old, late])).toEqual([
    [false, undefined],
    [true, true],
  ])
  await send('C3')
  expect(sent).toHaveLength(3)
})

it('sends the same code as a new scan after the guest was let in anyway', async () => {
  const begin = () => beginChange('/door/scan', { code: 'A6' }).key
  const first = begin()
  expect(begin()).toBe(first)
  const engine = { override: async () => first } as Partial<Engine>
  const offline = { engine, refresh: () => {}, sendSoon: () => {} } as Offline
  await letInAnyway(offline, { id: first, code: 'A6' }, undefined)
  expect(begin()).not.toBe(first)
})

it('does not resend an old note after a new one', async () => {
  respond = lose
  await send('A4', '/door/metadata')
  await vi.advanceTimersByTimeAsync(60_000)
  sent.length = 0
  respond = accept
  await send('A4', '/door/metadata')
  expect(sent).toHaveLength(1)
})

it('sends the ID of the page’s seller with each request', async () => {
  const page = { querySelector: (selector: string) => (selector === 'meta[name=desk-page-seller]' ? { content: 'seller-1' } : null) }
  vi.stubGlobal('document', page)
  const headers: unknown[] = []
  const fetchAndKeep = async (_: string, init: RequestInit) => {
    headers.push(init.headers)
    return Response.json({ kind: 'admitted' })
  }
  vi.stubGlobal('fetch', fetchAndKeep)
  await send('A7')
  await fetchDoor('/door/find', { search: 'Ada' }, new AbortController().signal)
  await createServerLink(fetchAndKeep).request('/door/scan', { ms: 1_000, body: {} })
  await createServerLink(fetchAndKeep).request('/door/tickets', { ms: 1_000 })
  const [json, named] = [{ 'Content-Type': 'application/json' }, { 'desk-page-seller': 'seller-1' }]
  expect(headers).toEqual([{ ...json, ...named }, named, { ...json, ...named }, named])
})

it('returns the message of a rate-limited request without retrying', async () => {
  respond = () => ({ status: 429, body: { message: 'Retry in 9 seconds.' } })
  expect(await send('A5')).toEqual({ outcome: 'refused', message: 'Retry in 9 seconds.' })
  expect(sent).toHaveLength(1)
})
