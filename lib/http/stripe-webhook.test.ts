/** The Stripe webhook accepts signed events, even while other clients upload slowly or too much, and rejects invalid signatures. */
// @module-tag slow
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { reportedLoads } from '@/db/semaphore'
import { makeAccount } from '@/testing/ingest'
import { withOwnDatabase } from '@/testing/own-database'
import { makeEvent, makeIntent, signed } from '@/testing/stripe'
import { lockWriters } from '../accounts/erasure-lock'
import { listEvents } from '../sync/stripe/events'
import { processEvents } from '../sync/stripe/process-events'
import { newRequestId, type Reply } from './exchange'
import { ingestRoute } from './stripe-webhook'

const testDatabase = withOwnDatabase()

const event = makeEvent('payment_intent.created', makeIntent())

function send(): Promise<Response> {
  const { payload, header } = signed(event)
  const headers = { 'stripe-signature': header, 'content-length': String(Buffer.byteLength(payload)) }
  return ingestRoute.POST(new Request('http://x/ingest/stripe', { method: 'POST', headers, body: payload }))
}

/** Sends the start of a body that never ends. @param onRead called once the body is being read */
function sendSlowly(header: string, seller: string, onRead = () => {}): Promise<Response> {
  const headers = { 'stripe-signature': header, 'content-length': '1000' }
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')), pull: onRead })
  const init = { method: 'POST', headers, body, duplex: 'half' }
  return ingestRoute.POST(new Request(`http://x/ingest/stripe?seller=${seller}`, init))
}

it('accepts an event at a URL without a seller if only one seller has a signing secret', async () => {
  expect((await send()).status).toBe(400)
  const seller = await makeAccount()
  expect((await send()).status).toBe(200)
  await processEvents(seller)
  expect(await listEvents({ seller })).toMatchObject([{ id: event.id, state: 'done' }])
  await makeAccount()
  expect((await send()).status).toBe(400)
})

it('rejects a malformed or old signature and an unknown seller before it reads the body', async () => {
  const seller = await makeAccount()
  const now = Math.floor(Date.now() / 1000)
  const signature = `v1=${'0'.repeat(64)}`
  const malformed = ['x', signature, `t=${now}`, `t=soon,${signature}`, `t=${now},v1=0`, `t=${now},v0=${'0'.repeat(64)}`]
  const refused = [...malformed, `t=${now - 310},${signature}`].map((header) => sendSlowly(header, seller))
  for (const response of await Promise.all([...refused, sendSlowly(`t=${now},${signature}`, '0'.repeat(24))]))
    expect(await response.json()).toMatchObject({ code: 'body_invalid', param: 'Stripe-Signature' })
})

it('accepts events while 20 clients upload slowly, and rejects those clients after 5 seconds', async () => {
  const seller = await makeAccount()
  const { payload, header } = signed(event)
  const slow: Promise<Response>[] = []
  for (let client = 0; client < 20; client += 1) {
    // Waits until the body is being read, or the request is rejected.
    await new Promise<void>((resolve) => {
      const response = sendSlowly(header, seller, resolve)
      slow.push(response)
      void response.then(() => resolve())
    })
  }
  const headers = { 'stripe-signature': header, 'content-length': String(Buffer.byteLength(payload)) }
  const fast = await ingestRoute.POST(new Request(`http://x/ingest/stripe?seller=${seller}`, { method: 'POST', headers, body: payload }))
  expect(fast.status).toBe(200)
  const responses = await Promise.all(slow)
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]))
  expect(await responses[0]?.json()).toMatchObject({
    code: 'body_invalid',
    message: 'The body did not arrive within 5 seconds. Send it again.',
  })
})

/** Returns a promise and the function that resolves it. */
function createSignal(): [Promise<void>, () => void] {
  let send = () => {}
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  return [sent, send]
}

/** A body that is being received. */
type Upload = { response: Promise<Reply>; finish(): void }

/** Sends headers and the start of a body from an address. Resolves once the body is being read or the request is refused. */
async function startUpload(seller: string, address: string, length: string, payload = '{', header = signed(event).header): Promise<Upload> {
  const sent = new Map([['stripe-signature', header], length === 'chunked' ? ['transfer-encoding', length] : ['content-length', length]])
  const headers = { get: (name: string) => sent.get(name.toLowerCase()) ?? null, has: (name: string) => sent.has(name.toLowerCase()) }
  const [finished, finish] = createSignal()
  const [started, start] = createSignal()
  async function* read() {
    start()
    yield Buffer.from(payload)
    await finished
  }
  const url = `http://x/ingest/stripe?seller=${seller}`
  const response = ingestRoute.POST.handle({ id: newRequestId(), method: 'POST', url, headers, address, body: read() }, {})
  await Promise.race([started, response])
  return { response, finish }
}

/** Sends a signed event from an address. @param padding the number of bytes to add @param length `chunked` to leave it undeclared */
async function sendFrom(seller: string, address: string, padding = 0, length?: 'chunked'): Promise<number> {
  const { payload, header } = signed({ ...event, padding: ' '.repeat(padding) })
  const { response, finish } = await startUpload(seller, address, length ?? String(payload.length), payload, header)
  finish()
  return (await response).status
}

const MEBIBYTE = 1024 * 1024

it.each([
  ['8 bodies of 1 MiB', String(MEBIBYTE)],
  ['8 bodies of unknown length of which more than 64 KiB have arrived', 'chunked'],
])('receives at most %s at once, 2 per address, and meanwhile accepts ordinary events', async (_, length) => {
  const seller = await makeAccount()
  const uploads: Upload[] = []
  const start = length === 'chunked' ? '{'.padEnd(70_000) : '{'
  const upload = async (address: string) => uploads[uploads.push(await startUpload(seller, address, length, start)) - 1]
  const active = () => reportedLoads().get('stripe_bodies')?.active
  await upload('192.0.2.1')
  await upload('192.0.2.1')
  expect(await (await upload('192.0.2.1'))?.response).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  for (const address of ['192.0.2.2', '192.0.2.2', '192.0.2.3', '192.0.2.3', '192.0.2.4', '192.0.2.4']) await upload(address)
  expect(active()).toBe(8)
  expect(await (await upload('192.0.2.5'))?.response).toMatchObject({ status: 503 })
  expect(await sendFrom(seller, '192.0.2.5', 70_000)).toBe(503)
  expect(await sendFrom(seller, '192.0.2.1')).toBe(200)
  expect(await sendFrom(seller, '192.0.2.1', 0, 'chunked')).toBe(200)
  for (const { finish } of uploads) finish()
  const replies = await Promise.all(uploads.map(({ response }) => response))
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(8)
  expect(active()).toBe(0)
  expect(await sendFrom(seller, '192.0.2.5', 70_000)).toBe(200)
})

it('receives at most 4 MiB of ordinary events from one address at once', async () => {
  const seller = await makeAccount()
  const uploads: Upload[] = []
  for (let sent = 0; sent < 64; sent += 1) uploads.push(await startUpload(seller, '192.0.2.1', '65536'))
  expect(await sendFrom(seller, '192.0.2.1')).toBe(503)
  expect(await sendFrom(seller, '192.0.2.2')).toBe(200)
  for (const { finish } of uploads) finish()
  await Promise.all(uploads.map(({ response }) => response))
  expect(await sendFrom(seller, '192.0.2.1')).toBe(200)
})

it('returns 503 if no database is open', async () => {
  const open = database()
  setDatabase(undefined)
  try {
    const response = await send()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  } finally {
    setDatabase(open)
  }
})

describe('while a seller’s customer is being erased', () => {
  /** Runs `work` while an erasure holds its lock, on a pool with as many connections as a server's. */
  async function duringErasure(seller: string, work: (finish: () => void) => Promise<void>) {
    const open = database()
    const pool = openDatabase({ url: testDatabase.url, max: 5, queue: 64 })
    const [finished, finish] = createSignal()
    const [started, start] = createSignal()
    const erasure = open.transaction(async (connection) => {
      await lockWriters(connection, seller)
      start()
      await finished
    })
    await started
    setDatabase(pool)
    try {
      await work(finish)
    } finally {
      finish()
      await erasure
      setDatabase(open)
      await pool.close()
    }
  }

  it('returns 503 to the seller’s deliveries, and leaves connections for other sellers', async () => {
    const [seller, other] = [await makeAccount(), await makeAccount()]
    await duringErasure(seller, async () => {
      const deliveries = Array.from({ length: 16 }, () => sendFrom(seller, '192.0.2.1'))
      expect(await sendFrom(other, '192.0.2.1')).toBe(200)
      expect(await Promise.all(deliveries)).toEqual(Array.from({ length: 16 }, () => 503))
    })
    expect(await sendFrom(seller, '192.0.2.1')).toBe(200)
  })

  it('stores an event if the erasure takes less than a second', async () => {
    const seller = await makeAccount()
    await duringErasure(seller, async (finish) => {
      const delivery = sendFrom(seller, '192.0.2.1')
      // The duration of the erasure.
      await pause(200)
      finish()
      expect(await delivery).toBe(200)
      await processEvents(seller)
    })
    expect(await listEvents({ seller })).toMatchObject([{ id: event.id, state: 'done' }])
  })
})
