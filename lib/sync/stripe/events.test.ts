/** Failed events are kept and can be retried, a crash loses no events, and processed events expire. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { compileStatement, database, openDatabase, setDatabase } from '@/db/client'
import { COUNTRY_ONLY, deliver, LIFECYCLES, makeAccount, readRecords, rows, send } from '@/testing/ingest'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, importText, minimal } from '@/testing/seller'
import { explain } from '@/testing/statements'
import { ADDRESS, makeCharge, makeEvent, makeIntent, NOON, RECENT } from '@/testing/stripe'
import { makeInvoice, makeInvoicePayment, makeStripeCoupon, makeStripeCustomer, makeSubscription } from '@/testing/stripe-billing'
import { writeMetrics } from '../../core/metrics'
import { listAudit } from '../../listing/list-audit'
import { countEvents, listEvents, showEvents, storeEvent } from './events'
import { processAllEvents, processEvents } from './process-events'
import { expiredEvents, purgeEvents } from './retention'
import { retryEvents } from './retry-events'
import { envelope } from './stripe-event'

// The tests process and purge the events of all sellers.
const testDatabase = withOwnDatabase()

describe('a failed or slow event', () => {
  const NEW_STATUS = makeEvent('payment_intent.processing', { ...makeIntent(), status: 'in_a_new_way' }, NOON + 1)
  const TOO_LATE = { ...makeStripeCoupon(), redeem_by: 1e15 }

  it('is kept with the reason, does not block other events, and can be retried', async () => {
    const seller = await makeAccount()
    const bad = [
      NEW_STATUS,
      makeEvent('coupon.created', TOO_LATE),
      makeEvent('payment_intent.created', makeIntent({ id: 'pi_2', receipt_email: 'a\u0000@example.com' })),
      makeEvent('payment_intent.created', makeIntent({ id: 'pi_\u0000' })),
    ]
    await deliver(seller, ...bad, ...(LIFECYCLES.payment ?? []))
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded' }])
    const failed = await listEvents({ seller, state: 'failed' })
    expect(new Map(failed.map(({ id, error }) => [id, error]))).toEqual(
      new Map([
        [bad[0]?.id, expect.stringMatching(/^data\.object\.status must be one of requires_payment_method, /)],
        [bad[1]?.id, expect.stringMatching(/^data\.object\.redeem_by /)],
        [bad[2]?.id, 'payments: customerEmail must not contain the character NUL'],
        [bad[3]?.id, 'data.object.id must be well-formed Unicode without NUL'],
      ]),
    )
    expect(await countEvents(seller)).toMatchObject({ waiting: 0, failed: 4 })

    // Repair the event, as if a later version could process it.
    await rows(
      sql`update stripe_events set payload = replace(payload::text, 'in_a_new_way', 'processing')::json where id = ${NEW_STATUS.id}`,
    )
    const owner = { userId: 'u', email: 'ada@example.com' }
    const retried = await retryEvents({ seller, ids: [NEW_STATUS.id] }, owner)
    expect(retried).toMatchObject([{ id: NEW_STATUS.id, state: 'done', error: null, attempts: 2 }])
    // The retried event is older than the latest ones, so the record does not change.
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded' }])
    const [entry] = (await listAudit(seller)).rows
    expect(entry).toMatchObject({
      action: 'stripe.events_retried',
      email: 'ada@example.com',
      changes: { events: { after: [NEW_STATUS.id] } },
    })

    // The other events fail again, because they are unchanged. Another seller's events are not retried.
    const failedAgain = await retryEvents({ seller }, owner)
    expect(failedAgain.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['failed', 2],
      ['failed', 2],
      ['failed', 2],
    ])
    expect(await retryEvents({ seller: await makeAccount() }, owner)).toEqual([])
  })

  it('is refused if PostgreSQL cannot store its ID or type', async () => {
    const seller = await makeAccount()
    for (const member of ['id', 'type'])
      for (const value of ['coupon.\u0000', 'coupon.\ud800']) expect(await send(seller, { ...NEW_STATUS, [member]: value })).toBe(400)
    expect(await listEvents({ seller })).toEqual([])
  })

  it('is listed by its ID, even if the filter contains more IDs than a statement can have parameters', async () => {
    const seller = await makeAccount()
    await deliver(seller, NEW_STATUS)
    const ids = Array.from({ length: 70_000 }, (_, index) => `evt_${index}`)
    expect(await listEvents({ seller, ids: [...ids, NEW_STATUS.id] })).toMatchObject([{ id: NEW_STATUS.id }])
  })

  it('is shown without the client secret', async () => {
    const seller = await makeAccount()
    await deliver(seller, NEW_STATUS)
    const [shown] = await showEvents({ seller, ids: [NEW_STATUS.id] })
    expect(shown).toMatchObject({ state: 'failed', payload: { data: { object: { id: 'pi_1', status: 'in_a_new_way' } } } })
    expect(JSON.stringify(shown)).not.toContain('CANARY')
  })

  it('is kept with the SQLSTATE if PostgreSQL rejects the record, and can be retried', async () => {
    const seller = await makeAccount()
    const name = `no_coupon_${seller}`
    await rows(sql.raw(`alter table coupons add constraint ${name} check (seller_id <> '${seller}') not valid`))
    try {
      await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
      expect(await listEvents({ seller })).toMatchObject([{ state: 'failed', error: 'PostgreSQL error 23514' }])
    } finally {
      await rows(sql.raw(`alter table coupons drop constraint ${name}`))
    }
    await retryEvents({ seller }, undefined)
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ code: 'SUMMER' }])
  })

  /** Runs `work`. Meanwhile, PostgreSQL executes a PL/pgSQL statement before it stores a seller's coupon with the code SLOW. */
  async function beforeSlowCoupon(seller: string, statement: string, work: () => Promise<void>) {
    const name = `slow_coupon_${seller}`
    await rows(sql.raw(`create function ${name}() returns boolean language plpgsql as $$ begin ${statement}; return true; end $$`))
    await rows(
      sql.raw(`alter table coupons add constraint ${name} check (
      case when seller_id = '${seller}' and record::text like '%SLOW%' then ${name}() else true end) not valid`),
    )
    try {
      await work()
    } finally {
      await rows(sql.raw(`alter table coupons drop constraint ${name}`))
      await rows(sql.raw(`drop function ${name}`))
    }
  }

  const SLOW = makeEvent('coupon.created', makeStripeCoupon({ id: 'SLOW' }), NOON)
  const NEXT = makeEvent('coupon.created', makeStripeCoupon({ id: 'NEXT' }), NOON + 1)

  /** Stores SLOW and NEXT without processing them. */
  async function storeBoth(): Promise<string> {
    const seller = await makeAccount()
    for (const event of [SLOW, NEXT]) await storeEvent(seller, envelope.parse(event), JSON.stringify(event))
    return seller
  }

  it('fails after three attempts that reach the time limit, and then no longer blocks other events', async () => {
    const seller = await storeBoth()
    await beforeSlowCoupon(seller, `raise exception 'canceling statement due to statement timeout' using errcode = '57014'`, async () => {
      for (const attempts of [1, 2]) {
        await expect(processEvents(seller)).rejects.toMatchObject({ code: 'statement_timeout' })
        expect(await listEvents({ seller })).toMatchObject([{ attempts: 0 }, { state: 'waiting', attempts }])
      }
      await processEvents(seller)
    })
    expect(await listEvents({ seller })).toMatchObject([
      { id: NEXT.id, state: 'done' },
      { id: SLOW.id, state: 'failed', attempts: 3, error: 'processing took longer than 30 seconds' },
    ])
    await retryEvents({ seller }, undefined)
    expect(await readRecords(seller, 'coupons')).toHaveLength(2)
  })

  it.each([
    ['the disk is full', '53100'],
    ['PostgreSQL shuts down', '57P01'],
    ['another transaction holds a lock', '55P03'],
  ])('keeps waiting if %s', async (_, state) => {
    const seller = await storeBoth()
    await beforeSlowCoupon(seller, `raise exception using errcode = '${state}'`, async () => {
      for (let attempt = 0; attempt < 4; attempt += 1) await expect(processEvents(seller)).rejects.toThrow('The database is unavailable.')
    })
    expect(await countEvents(seller)).toMatchObject({ waiting: 2, failed: 0 })
    await processEvents(seller)
    expect((await listEvents({ seller })).map(({ attempts }) => attempts)).toEqual([1, 1])
  })

  it('is processed even if this takes longer than the usual statement timeout', async () => {
    const seller = await storeBoth()
    const open = database()
    const shortTimeoutPool = openDatabase({ url: testDatabase.url, max: 2, statementMs: 500 })
    await beforeSlowCoupon(seller, 'perform pg_sleep(1.5)', async () => {
      setDatabase(shortTimeoutPool)
      try {
        await processEvents(seller)
      } finally {
        setDatabase(open)
        await shortTimeoutPool.close()
      }
    })
    expect((await listEvents({ seller })).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['done', 1],
      ['done', 1],
    ])
  })

  it('is counted as failed in the metrics each time it fails, unlike an event that succeeds', async () => {
    const seller = await makeAccount()
    const count = async (result: string) => {
      const { text = '' } = (await writeMetrics()) ?? {}
      return Number(new RegExp(`^desk_stripe_events_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    }
    const before = { failed: await count('failed'), succeeded: await count('succeeded') }
    await deliver(seller, NEW_STATUS, makeEvent('coupon.created', makeStripeCoupon()))
    await retryEvents({ seller }, undefined)
    expect(await count('failed')).toBe(before.failed + 2)
    expect(await count('succeeded')).toBe(before.succeeded + 1)
  })
})

describe('a stored event', () => {
  it('is processed after a crash, by one process at a time', async () => {
    const seller = await makeAccount()
    const events = Object.values(LIFECYCLES).flat()
    // Stores each event as a process that is killed right after responding leaves it.
    for (const { id, type, created, ...rest } of new Map(events.map((event) => [event.id, event])).values()) {
      const payload = JSON.stringify({ id, type, created, ...rest })
      await rows(sql`
        insert into stripe_events (seller_id, id, type, created, links, payload)
        values (${seller}, ${id}, ${type}, ${created}, array[]::text[], ${payload}::text::json)`)
    }
    const { waiting } = await countEvents(seller)
    vi.resetModules()
    const another = await import('./process-events')
    expect(another.processAllEvents).not.toBe(processAllEvents)
    await Promise.all([processAllEvents(), another.processAllEvents()])
    expect(await countEvents(seller)).toMatchObject({ waiting: 0, failed: 0 })
    expect((await listEvents({ seller })).map(({ attempts }) => attempts)).toEqual(Array.from({ length: waiting }, () => 1))
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded', invoiceId: 'in_1' }])
  })

  it('is processed only for its own seller', async () => {
    const [seller, other] = [await makeAccount(), await makeAccount()]
    const { id, type, created, ...rest } = makeEvent('coupon.created', makeStripeCoupon({ id: 'THEIRS' }), NOON - 1)
    await rows(sql`
      insert into stripe_events (seller_id, id, type, created, links, payload)
      values (${other}, ${id}, ${type}, ${created}, array[]::text[], ${JSON.stringify({ id, type, created, ...rest })}::text::json)`)
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ code: 'SUMMER' }])
    expect(await countEvents(other)).toMatchObject({ waiting: 1 })
    await processAllEvents()
    expect(await readRecords(other, 'coupons')).toMatchObject([{ code: 'THEIRS' }])
  })
})

describe('an event that happened more than 90 days ago', () => {
  const listIds = async (seller: string) => (await listEvents({ seller })).map(({ id }) => id).sort()
  const idsOf = (...events: { id: string }[]) => events.map(({ id }) => id).sort()

  it('is deleted if it has no effect, or a later one about its object has been processed', async () => {
    const seller = await makeAccount()
    const created = makeEvent('coupon.created', makeStripeCoupon())
    const updated = makeEvent('coupon.updated', makeStripeCoupon({ times_redeemed: 1 }))
    const failed = makeEvent('coupon.created', { ...makeStripeCoupon({ id: 'B' }), duration: '?' })
    const dispute = makeEvent('charge.dispute.created', { id: 'dp_1', object: 'dispute', charge: 'ch_1' })
    const recent = makeEvent('coupon.created', makeStripeCoupon({ id: 'C' }), RECENT)
    const recentUpdate = makeEvent('coupon.updated', makeStripeCoupon({ id: 'C', times_redeemed: 1 }), RECENT)
    await deliver(seller, updated, created, failed, dispute, recent, recentUpdate)
    await purgeEvents()
    expect(await listIds(seller)).toEqual(idsOf(updated, failed, recent, recentUpdate))
    await deliver(seller, makeEvent('coupon.deleted', makeStripeCoupon({ times_redeemed: 1 }), NOON + 5))
    await purgeEvents()
    expect(await listIds(seller)).not.toContain(updated.id)
    expect(await readRecords(seller, 'coupons')).toHaveLength(2)
  })

  it('is kept as long as it sets a member that later ones about its object do not set', async () => {
    const seller = await makeAccount()
    const makeUpdate = (at: number, pending_setup_intent: string | null, quantity: number) =>
      makeEvent(
        'customer.subscription.updated',
        makeSubscription({ pending_setup_intent, metadata: { quantity: `${quantity}` } }),
        NOON + at,
      )
    const [first, second, third, last] = [
      makeUpdate(0, 'seti_1', 1),
      makeUpdate(1, 'seti_1', 2),
      makeUpdate(2, null, 3),
      makeUpdate(3, null, 4),
    ]
    const line = minimal('subscriptions', { gatewaySubscriptionId: 'sub_1' })
    await importLines('subscriptions', seller, [line])
    await deliver(seller, third, first, last, second)
    await purgeEvents()
    expect(await listIds(seller)).toEqual(idsOf(second, last))
    await importLines('subscriptions', seller, [line])
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ gatewaySetupIntentId: 'seti_1', status: 'incomplete' }])
  })

  it('is kept as long as it sets a part of an address that later ones do not set', async () => {
    const seller = await makeAccount()
    const line = minimal('customers', { gatewayCustomerId: 'cus_1' })
    await importLines('customers', seller, [line])
    const charge = { billing_details: { address: ADDRESS, email: null, name: null, phone: null, tax_id: null } }
    const payment = minimal('payments', { gatewayPaymentIntentId: 'pi_1' })
    await importLines('payments', seller, [payment])
    await deliver(
      seller,
      makeEvent('customer.created', makeStripeCustomer()),
      makeEvent('customer.updated', makeStripeCustomer({ address: { ...COUNTRY_ONLY, country: 'FR' } }), NOON + 5),
      makeEvent('charge.succeeded', makeCharge(charge), NOON + 5),
      makeEvent(
        'charge.updated',
        makeCharge({ billing_details: { ...charge.billing_details, address: { ...COUNTRY_ONLY, country: 'FR' } } }),
        NOON + 6,
      ),
    )
    await purgeEvents()
    expect(await importLines('customers', seller, [line])).toMatchObject({ written: 0 })
    expect(await importLines('payments', seller, [payment])).toMatchObject({ written: 0 })
    const address = { line1: 'Rue 1', city: 'Lyon', postalCode: '69001', country: 'FR' }
    expect(await readRecords(seller, 'customers')).toMatchObject([{ address }])
    expect(await readRecords(seller, 'payments')).toMatchObject([{ billing: { address } }])
  })

  it('is not read by the purge as long as it is needed', async () => {
    const [seller, count] = [await makeAccount(), 5_000]
    await rows(sql`
      insert into stripe_events (seller_id, id, type, created, links, payload, state)
      select ${seller}, 'evt_' || n, 'coupon.created', ${NOON}::int - n, array['C' || n], '{}', 'done' from generate_series(1, ${count}::int) n`)
    await rows(sql`vacuum analyze stripe_events`)
    const nodes = await explain(testDatabase.url, compileStatement(expiredEvents))
    expect(nodes.map((node) => node['Index Name'])).toContain('stripe_events_obsolete')
    for (const node of nodes) expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)).toBeLessThan(count)
  })

  it('still prevents an outdated import from restoring a refunded booking and its tickets', async () => {
    const seller = await makeAccount()
    const booking = minimal('bookings', { gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] })
    const importing = () => importText('bookings', seller, JSON.stringify(booking), { events: true })
    const listTickets = () => rows<{ status: string }>(sql`select status from tickets where seller_id = ${seller}`)
    await importing()
    await deliver(seller, ...(LIFECYCLES['payment of an invoice'] ?? []), ...(LIFECYCLES.payment ?? []))
    const before = await readRecords(seller, 'bookings')
    expect(before).toMatchObject([{ status: 'refunded', invoiceId: 'in_1', taxAmount: 434 }])
    await purgeEvents()
    expect(await importing()).toMatchObject({ written: 0, unchanged: 1 })
    expect(await readRecords(seller, 'bookings')).toEqual(before)
    expect((await listTickets()).map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED'])
  })

  it('does not overwrite newer information if it is retried after other events have been deleted', async () => {
    const seller = await makeAccount()
    const failed = makeEvent('charge.succeeded', { ...makeCharge(), status: 'in_a_new_way' }, NOON + 5)
    await deliver(seller, failed, ...(LIFECYCLES.payment ?? []))
    await purgeEvents()
    await rows(sql`update stripe_events set payload = replace(payload::text, 'in_a_new_way', 'succeeded')::json where id = ${failed.id}`)
    expect(await retryEvents({ seller }, undefined)).toMatchObject([{ state: 'done' }])
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded' }])
  })

  const OLD_INVOICE = { created: NOON, customer_email: 'old@example.com' }
  const PAID = makeEvent('invoice.paid', makeInvoice({ id: 'in_2', created: NOON + 100, status: 'paid' }), NOON + 100)

  it('still prevents an event about an earlier invoice from changing the subscription', async () => {
    const seller = await makeAccount()
    await deliver(seller, makeEvent('customer.subscription.created', makeSubscription()), PAID)
    await purgeEvents()
    await deliver(seller, makeEvent('invoice.voided', makeInvoice({ ...OLD_INVOICE, status: 'void' }), RECENT))
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ paymentStatus: 'paid', customerEmail: 'billing@example.com' }])
  })

  it('is no longer applied to its subscription if it is about an earlier invoice, but still to the payment of the invoice', async () => {
    const seller = await makeAccount()
    const old = makeEvent('invoice.paid', makeInvoice({ ...OLD_INVOICE, status: 'paid' }), NOON + 1)
    const recent = makeEvent('invoice.finalized', makeInvoice({ id: 'in_0', created: NOON - 1, status: 'open' }), RECENT)
    const link = makeEvent('invoice_payment.paid', makeInvoicePayment(), NOON + 1)
    await deliver(seller, makeEvent('customer.subscription.created', makeSubscription()), old, link, recent, PAID)
    await purgeEvents()
    const linked = await rows<{ id: string }>(sql`
      select id from stripe_events where seller_id = ${seller} and links @> array['sub_1'] and type like 'invoice.%'`)
    expect(linked.map(({ id }) => id).sort()).toEqual(idsOf(PAID, recent))
    await importLines('payments', seller, [minimal('payments', { gatewayPaymentIntentId: 'pi_1' })])
    expect(await readRecords(seller, 'payments')).toMatchObject([{ invoiceId: 'in_1', taxAmount: 434, customerEmail: 'old@example.com' }])
  })
})
