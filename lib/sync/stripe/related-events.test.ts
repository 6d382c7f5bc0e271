/** An event fails if too many events are about its objects, or a string in it is too long. Related events are parsed in slices. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { deliver, makeAccount, readRecords, rows } from '@/testing/ingest'
import { importLines, minimal, openTestDatabase } from '@/testing/seller'
import { makeEvent, makeIntent, NOON } from '@/testing/stripe'
import { makeInvoice, makeStripeCoupon } from '@/testing/stripe-billing'
import { countEvents, listEvents } from './events'
import { processAllEvents } from './process-events'

beforeAll(openTestDatabase)
afterEach(() => {
  vi.restoreAllMocks()
})

/** Stores processed events about a payment intent. @param padding the number of additional bytes in each event */
async function storeProcessedEvents(seller: string, count: number, padding = 0, id = 'pi_1'): Promise<void> {
  const event = makeEvent('payment_intent.processing', makeIntent({ id, status: 'processing', description: 'x'.repeat(padding) }))
  await rows(sql`
    insert into stripe_events (seller_id, id, type, created, links, payload, state)
    select ${seller}, 'evt_' || ${id}::text || n, ${event.type}, ${event.created}, array[${id}::text], ${JSON.stringify(event)}::text::json, 'done'
    from generate_series(1, ${count}::int) n`)
}

const SUCCEEDED = makeEvent('payment_intent.succeeded', makeIntent({ status: 'succeeded', amount_received: 2500 }), NOON + 5)
const TOO_MANY = 'there are too many events about the same objects: more than 1000, or more than 8 MiB in total'

describe('an event', () => {
  it.each([
    ['1,000 other events', 1000, 0],
    ['8 MiB of other events', 8, 1024 * 1024],
  ])('fails if there are %s about its objects', async (_, count, padding) => {
    const seller = await makeAccount()
    await storeProcessedEvents(seller, count, padding)
    await deliver(seller, SUCCEEDED)
    expect(await listEvents({ seller, ids: [SUCCEEDED.id] })).toMatchObject([{ state: 'failed', error: TOO_MANY }])
    expect(await readRecords(seller, 'payments')).toEqual([])
    // An import is not affected.
    expect(await importLines('payments', seller, [minimal('payments', { gatewayPaymentIntentId: 'pi_1' })])).toMatchObject({ written: 1 })
  })

  it('is processed if the number of related events is at the limit, and the related events are parsed in slices', async () => {
    const seller = await makeAccount()
    await storeProcessedEvents(seller, 999)
    // Makes each event seem to take longer than a slice.
    let clock = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => {
      clock += 10
      return clock
    })
    // The number of events parsed in the current iteration of the event loop, and the highest such number.
    let parsed = 0
    let max = 0
    const parse = JSON.parse
    vi.spyOn(JSON, 'parse').mockImplementation((...given) => {
      parsed += 1
      max = Math.max(max, parsed)
      return parse(...given)
    })
    let isDone = false
    const nextIteration = () => {
      parsed = 0
      if (!isDone) setImmediate(nextIteration)
    }
    nextIteration()
    await deliver(seller, SUCCEEDED)
    isDone = true
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'paid' }])
    expect(max).toBeLessThan(10)
  })

  it('fails if its invoice has more than 100 payments', async () => {
    const seller = await makeAccount()
    const makePaidInvoice = (count: number) =>
      makeEvent(
        'invoice.paid',
        makeInvoice({
          id: `in_${count}`,
          // The event would exceed the size limit if it were read once for each of its payments.
          description: 'x'.repeat(200_000),
          payments: {
            object: 'list',
            has_more: false,
            url: '',
            data: Array.from(
              { length: count },
              (_, index) => ({ payment: { type: 'charge', charge: `ch_${index}` } }) as Stripe.InvoicePayment,
            ),
          },
        }),
      )
    const [allowed, tooMany] = [makePaidInvoice(100), makePaidInvoice(101)]
    await deliver(seller, allowed, tooMany)
    expect(await listEvents({ seller, ids: [allowed.id] })).toMatchObject([{ state: 'done' }])
    expect(await listEvents({ seller, ids: [tooMany.id] })).toMatchObject([
      { state: 'failed', error: 'the invoice has more than 100 payments' },
    ])
  })
})

describe('an event about several objects', () => {
  it('fails if the events about its objects exceed the size limit in total', async () => {
    const seller = await makeAccount()
    const ids = Array.from({ length: 9 }, (_, index) => `pi_${index}`)
    for (const id of ids) await storeProcessedEvents(seller, 1, 1024 * 1024, id)
    const data = ids.map((id) => ({ payment: { type: 'payment_intent', payment_intent: id } }) as Stripe.InvoicePayment)
    const paid = makeEvent('invoice.paid', makeInvoice({ payments: { object: 'list', has_more: false, url: '', data } }))
    await deliver(seller, paid)
    expect(await listEvents({ seller, ids: [paid.id] })).toMatchObject([{ state: 'failed', error: TOO_MANY }])
  })
})

describe('an event with a long string', () => {
  it.each([
    ['a name of 5,001 characters', makeStripeCoupon({ name: 'x'.repeat(5_001) }), 'data.object.name must have at most 5000 characters'],
    ['an ID of 256 characters', makeStripeCoupon({ id: 'x'.repeat(256) }), 'data.object.id must have at most 255 characters'],
  ])('fails if the string exceeds its maximum length: %s', async (_, coupon, error) => {
    const seller = await makeAccount()
    const event = makeEvent('coupon.created', coupon)
    await deliver(seller, event)
    expect(await listEvents({ seller, ids: [event.id] })).toMatchObject([{ state: 'failed', error }])
    expect(await readRecords(seller, 'coupons')).toEqual([])
  })

  it('is processed if the string has the maximum length', async () => {
    const seller = await makeAccount()
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon({ name: 'x'.repeat(5_000) })))
    expect(await readRecords(seller, 'coupons')).toHaveLength(1)
  })
})

it('processes other sellers’ events if a temporary error interrupts one seller’s event', async () => {
  const [broken, other] = [await makeAccount(), await makeAccount()]
  const { id, type, created, ...rest } = makeEvent('coupon.created', makeStripeCoupon())
  for (const seller of [broken, other])
    await rows(sql`
      insert into stripe_events (seller_id, id, type, created, links, payload)
      values (${seller}, ${id}, ${type}, ${created}, array[]::text[], ${JSON.stringify({ id, type, created, ...rest })}::text::json)`)
  const name = `no_coupon_${broken}`
  await rows(
    sql.raw(`create function ${name}() returns trigger language plpgsql as $$ begin
      if new.seller_id = '${broken}' then raise exception 'no' using errcode = '57014'; end if; return new; end $$`),
  )
  await rows(sql.raw(`create trigger ${name} before insert on coupons for each row execute function ${name}()`))
  try {
    await processAllEvents()
    expect(await countEvents(broken)).toMatchObject({ waiting: 1 })
    expect(await countEvents(other)).toMatchObject({ waiting: 0, failed: 0 })
  } finally {
    await rows(sql.raw(`drop trigger ${name} on coupons`))
    await rows(sql.raw(`drop function ${name}`))
  }
})
