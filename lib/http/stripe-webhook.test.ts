/** The Stripe webhook: URLs without a seller, invalid signatures, clients that upload slowly, and outages. */
// @module-tag slow
import { expect, it } from 'vitest'
import { database, setDatabase } from '@/db/client'
import { makeAccount } from '@/testing/ingest'
import { withOwnDatabase } from '@/testing/own-database'
import { makeEvent, makeIntent, signed } from '@/testing/stripe'
import { listEvents } from '../sync/stripe/events'
import { processEvents } from '../sync/stripe/process-events'
import { ingestRoute } from './stripe-webhook'

withOwnDatabase()

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

it('accepts events while 20 clients upload slowly, and rejects those clients after 5 s', async () => {
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

it('returns 503 if the database is unreachable', async () => {
  const open = database()
  setDatabase(undefined)
  try {
    const response = await send()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  } finally {
    setDatabase(open)
  }
})
