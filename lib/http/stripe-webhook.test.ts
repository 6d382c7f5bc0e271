/** The webhook works without a seller in the URL if there is a single account, and makes Stripe retry during an outage. */
import { expect, it } from 'vitest'
import { database, setDatabase } from '@/db/client'
import { makeAccount } from '@/testing/ingest'
import { withOwnDatabase } from '@/testing/own-database'
import { eventOf, intentOf, signed } from '@/testing/stripe'
import { listEvents } from '../sync/stripe/events'
import { processEvents } from '../sync/stripe/process-events'
import { ingestRoute } from './stripe-webhook'

withOwnDatabase()

const event = eventOf('payment_intent.created', intentOf())

function send(): Promise<Response> {
  const { payload, header } = signed(event)
  const headers = { 'stripe-signature': header, 'content-length': String(Buffer.byteLength(payload)) }
  return ingestRoute.POST(new Request('http://x/ingest/stripe', { method: 'POST', headers, body: payload }))
}

it('accepts an event without a seller if a single seller has a secret', async () => {
  expect((await send()).status).toBe(400)
  const seller = await makeAccount()
  expect((await send()).status).toBe(200)
  await processEvents(seller)
  expect(await listEvents({ seller })).toMatchObject([{ id: event.id, state: 'done' }])
  await makeAccount()
  expect((await send()).status).toBe(400)
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
