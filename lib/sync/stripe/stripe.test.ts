/** Stripe events create and update records correctly, in any order and with repetitions. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { readEvents } from '@/testing/events'
import { COUNTRY_ONLY, deliver, LIFECYCLES, makeAccount, readEverything, readRecords, rows, send } from '@/testing/ingest'
import { importLines, importText, minimal, openTestDatabase } from '@/testing/seller'
import { ADDRESS, makeCharge, makeEvent, makeIntent, NOON, type StripeEvent } from '@/testing/stripe'
import { makeInvoice, makeInvoicePayment, makeStripeCoupon, makeStripeCustomer, makeSubscription } from '@/testing/stripe-billing'
import { untilBlocking } from '@/testing/until-blocking'
import { resources } from '../../catalog'
import { newObjectId } from '../../core/object-id'
import { listAudit } from '../../listing/list-audit'
import { recount } from '../../listing/recount'
import { readActivity } from '../../reports/activity'
import { changeCoupon } from '../edit/coupons'
import { editCustomer } from '../edit/customers'
import { addNote, deleteNote, restoreNote } from '../edit/notes'
import { eraseCustomer, lockForErasure } from '../erase/erase-customer'
import { writerFor } from '../writers/writer-for'
import { listEvents } from './events'
import { processEvents } from './process-events'
import { reconcile } from './reconcile'

beforeAll(openTestDatabase)

/** Returns all permutations of the items. */
const permute = <T>(items: readonly T[]): T[][] =>
  items.length === 0 ? [[]] : items.flatMap((item, index) => permute(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))

describe('Stripe events', () => {
  it('create a payment from its payment intent and charges', async () => {
    const seller = await makeAccount()
    const lifecycle = LIFECYCLES.payment ?? []
    const states: unknown[] = []
    for (const event of lifecycle) {
      await deliver(seller, event)
      const [payment] = await readRecords(seller, 'payments')
      states.push([payment?.status, payment?.paymentError, payment?.amountPaid])
    }
    expect(states).toEqual([
      ['created', undefined, 0],
      ['created', undefined, 0],
      ['failed', 'Your card was declined.', 0],
      ['paid', undefined, 2500],
      ['paid', undefined, 2500],
      ['paid', undefined, 2500],
      ['partial_refund', undefined, 2500],
      ['refunded', undefined, 2500],
      ['refunded', undefined, 2500],
    ])
    expect(await readEverything(seller)).toEqual([
      {
        orderId: 'OR-1',
        customerEmail: 'ada@example.com',
        currency: 'eur',
        amount: 2500,
        amountPaid: 2500,
        amountDue: 0,
        taxBreakdown: [],
        billing: { name: 'Ada', email: 'ada@example.com', address: { line1: 'Rue 1', city: 'Lyon', postalCode: '69001', country: 'FR' } },
        livemode: false,
        status: 'refunded',
        paymentMethod: {
          gateway: 'stripe',
          method: 'card',
          brand: 'visa',
          last4: '4242',
          country: 'FR',
          exp_month: 12,
          exp_year: 2030,
          funding: 'credit',
        },
        gatewayPaymentIntentId: 'pi_1',
        gatewayChargeId: 'ch_1',
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:01:30.000Z',
      },
    ])
    const [stored] = await rows<{ secrets: object }>(sql`select secrets::text::jsonb as secrets from payments where seller_id = ${seller}`)
    expect(stored?.secrets).toEqual({ gatewayPaymentIntentClientSecret: 'pi_1_secret_CANARY' })
  })

  it('add an invoice’s taxes and customer to its payment', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...(LIFECYCLES['payment of an invoice'] ?? []))
    expect(await readRecords(seller, 'payments')).toMatchObject([
      {
        status: 'paid',
        invoiceId: 'in_1',
        customerEmail: 'billing@example.com',
        billing: { name: 'Ada Lovelace', address: { line1: 'Rue 1', country: 'FR' } },
        amountExcludingTax: 2066,
        taxAmount: 434,
        taxBreakdown: [{ taxAmount: 434, taxableAmount: 2066, taxabilityReason: 'standard_rated' }],
      },
    ])
    // If an invoice lists its payments, no `invoice_payment` event is needed to link them.
    const another = await makeAccount()
    const payments = { object: 'list' as const, data: [makeInvoicePayment()], has_more: false, url: '' }
    await deliver(another, makeEvent('invoice.paid', makeInvoice({ payments })), makeEvent('payment_intent.created', makeIntent()))
    expect(await readRecords(another, 'payments')).toMatchObject([{ status: 'created', invoiceId: 'in_1' }])
  })

  it('add no taxes to the payments of an invoice that has several payments, in whatever order the events arrive', async () => {
    const second = { id: 'inpay_2', payment: { type: 'payment_intent', payment_intent: 'pi_2' } } as const
    const events = [
      makeEvent('invoice.paid', makeInvoice(), NOON + 6),
      makeEvent('payment_intent.succeeded', makeIntent({ status: 'succeeded', amount_received: 2500 }), NOON + 4),
      makeEvent('payment_intent.succeeded', makeIntent({ id: 'pi_2', status: 'succeeded', amount_received: 2500 }), NOON + 5),
      makeEvent('invoice_payment.paid', makeInvoicePayment(), NOON + 4),
      makeEvent('invoice_payment.paid', makeInvoicePayment(second), NOON + 5),
    ]
    for (const ordered of [events, events.toReversed()]) {
      const seller = await makeAccount()
      await deliver(seller, ...ordered)
      const payments = await readRecords(seller, 'payments')
      expect(payments).toMatchObject(Array(2).fill({ invoiceId: 'in_1', taxBreakdown: [] }))
      expect(payments.flatMap(({ taxAmount, amountExcludingTax }) => taxAmount ?? amountExcludingTax ?? [])).toEqual([])
    }
  })

  it('keep the taxes of a payment if another payment of its invoice was canceled, and imported ones if its invoice has none', async () => {
    const seller = await makeAccount()
    const paid = makeEvent('payment_intent.succeeded', makeIntent({ status: 'succeeded', amount_received: 2500 }), NOON + 4)
    const canceled = makeInvoicePayment({ id: 'inpay_0', status: 'canceled', payment: { type: 'payment_intent', payment_intent: 'pi_0' } })
    const link = makeEvent('invoice_payment.paid', makeInvoicePayment(), NOON + 4)
    await deliver(
      seller,
      paid,
      makeEvent('invoice.paid', makeInvoice(), NOON + 6),
      link,
      makeEvent('invoice_payment.paid', canceled, NOON + 7),
    )
    expect(await readRecords(seller, 'payments')).toMatchObject([{ taxAmount: 434 }])

    const other = await makeAccount()
    await importLines('payments', other, [minimal('payments', { gatewayPaymentIntentId: 'pi_1', taxAmount: 210 })])
    const second = makeInvoicePayment({ id: 'inpay_2', payment: { type: 'payment_intent', payment_intent: 'pi_2' } })
    const untaxed = makeInvoice({ total_taxes: null, total_excluding_tax: null })
    await deliver(other, paid, makeEvent('invoice.paid', untaxed, NOON + 6), link, makeEvent('invoice_payment.paid', second, NOON + 5))
    expect(await readRecords(other, 'payments')).toMatchObject([{ taxAmount: 210 }])
  })

  it('give a payment only the billing details of its charge if its invoice names another person, but those of both if the charge has no name', async () => {
    const acme = { customer_name: 'Acme GmbH', customer_email: 'office@acme.example', customer_phone: '+49' }
    const details = { email: null, phone: null, tax_id: null, address: { ...COUNTRY_ONLY, country: null } }
    const office = {
      email: 'office@acme.example',
      phone: '+49',
      address: { line1: 'Rue 1', city: 'Lyon', postalCode: '69001', country: 'FR' },
    }
    for (const [name, expected] of [
      ['Jane Doe', { name: 'Jane Doe' }],
      [null, { name: 'Acme GmbH', ...office }],
    ] as const) {
      const seller = await makeAccount()
      await deliver(
        seller,
        makeEvent('invoice.paid', makeInvoice({ ...acme, status: 'paid' }), NOON + 6),
        makeEvent('invoice_payment.paid', makeInvoicePayment(), NOON + 6),
        makeEvent('charge.succeeded', makeCharge({ billing_details: { ...details, name } }), NOON + 6),
      )
      expect((await readRecords(seller, 'payments'))[0]?.billing).toEqual(expected)
    }
  })

  it('create a subscription with the payment status of its invoices', async () => {
    const seller = await makeAccount()
    const [created, finalized, active, paid, ...rest] = LIFECYCLES.subscription ?? []
    if (!created || !finalized || !active || !paid) throw new Error('The subscription has no events.')
    // An invoice alone does not create a subscription.
    await deliver(seller, finalized)
    expect(await readRecords(seller, 'subscriptions')).toEqual([])
    await deliver(seller, created, active, paid)
    expect(await readEverything(seller)).toEqual([
      {
        gatewaySubscriptionId: 'sub_1',
        gatewayCustomerId: 'cus_1',
        customerEmail: 'billing@example.com',
        currency: 'eur',
        amount: 2500,
        interval: 'month',
        intervalCount: 1,
        quantity: 2,
        productPrice: 1250,
        billing: {
          name: 'Ada Lovelace',
          email: 'billing@example.com',
          address: { line1: 'Rue 1', city: 'Lyon', postalCode: '69001', country: 'FR' },
        },
        livemode: false,
        status: 'active',
        paymentStatus: 'paid',
        startDate: '2026-03-01T12:00:00.000Z',
        cancelAtPeriodEnd: false,
        currentPeriodStart: '2026-03-01T12:00:00.000Z',
        currentPeriodEnd: '2026-04-01T12:00:00.000Z',
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:00:06.000Z',
      },
    ])
    await deliver(seller, ...rest)
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([
      { status: 'canceled', paymentStatus: 'unpaid', canceledAt: '2026-04-01T12:00:00.000Z' },
    ])
  })

  it('omit a unit price that is not a whole number of minor units, and round the total', async () => {
    const seller = await makeAccount()
    const subscription = makeSubscription()
    const [item] = subscription.items.data
    if (!item) throw new Error('The subscription has no items.')
    Object.assign(item, { quantity: 7, price: { ...item.price, unit_amount: null, unit_amount_decimal: '0.5' } })
    await deliver(seller, makeEvent('customer.subscription.created', subscription))
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ amount: 4, quantity: 7 }])
    expect((await readRecords(seller, 'subscriptions'))[0]).not.toHaveProperty('productPrice')
  })

  it.each([
    ['per started package', { transform_quantity: { divide_by: 5, round: 'up' } }, 7, 2 * 1250],
    ['per complete package', { transform_quantity: { divide_by: 5, round: 'down' } }, 7, 1250],
    ['per use', { recurring: { interval: 'month', interval_count: 1, usage_type: 'metered' } }, undefined, 0],
  ])('calculate the amount of a subscription whose price is %s', async (_, price, quantity, amount) => {
    const seller = await makeAccount()
    const subscription = makeSubscription()
    const [item] = subscription.items.data
    if (!item) throw new Error('The subscription has no items.')
    Object.assign(item, { quantity, price: { ...item.price, ...price } })
    await deliver(seller, makeEvent('customer.subscription.created', subscription))
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ amount, productPrice: 1250 }])
  })

  it('convert the amounts of a subscription’s items to the billing period of the first', async () => {
    const seller = await makeAccount()
    const subscription = makeSubscription()
    const [item] = subscription.items.data
    if (!item?.price.recurring) throw new Error('The subscription has no recurring item.')
    const yearly = { ...item.price, unit_amount: 12_000, recurring: { ...item.price.recurring, interval: 'year' as const } }
    subscription.items.data.push({ ...item, id: 'si_2', quantity: 1, price: yearly })
    await deliver(seller, makeEvent('customer.subscription.created', subscription))
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ amount: 2500 + 1000, interval: 'month' }])
  })

  it('cancel a subscription when it ends, not when its cancellation is requested', async () => {
    const seller = await makeAccount()
    const requested = makeSubscription({ status: 'active', cancel_at_period_end: true, cancel_at: NOON + 100, canceled_at: NOON + 10 })
    await deliver(seller, makeEvent('customer.subscription.updated', requested, NOON + 10))
    const [pending] = await readRecords(seller, 'subscriptions')
    expect(pending).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, cancelAt: '2026-03-01T12:01:40.000Z' })
    expect(pending).not.toHaveProperty('canceledAt')
    const ended = makeSubscription({ ...requested, status: 'canceled', ended_at: NOON + 100 })
    await deliver(seller, makeEvent('customer.subscription.deleted', ended, NOON + 100))
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ status: 'canceled', canceledAt: '2026-03-01T12:01:40.000Z' }])
  })

  it.each([2 ** 53, 10.5])('with the amount %d fail', async (amount) => {
    const seller = await makeAccount()
    await deliver(seller, makeEvent('payment_intent.created', makeIntent({ amount })))
    expect(await listEvents({ seller })).toMatchObject([
      { state: 'failed', error: expect.stringMatching(/^data\.object\.amount must be a whole number of minor currency units/) },
    ])
  })

  it('create a coupon whose code is its Stripe ID', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...(LIFECYCLES.coupon ?? []))
    expect(await readEverything(seller)).toEqual([
      {
        label: 'Summer sale',
        code: 'SUMMER',
        percentOff: 20,
        duration: 'once',
        timesRedeemed: 3,
        deleted: true,
        gatewayCouponId: 'SUMMER',
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:00:00.000Z',
      },
    ])
    const again = await makeAccount()
    await deliver(again, ...(LIFECYCLES['coupon that was created again'] ?? []))
    expect(await readRecords(again, 'coupons')).toMatchObject([{ percentOff: 30, deleted: false }])
  })

  it('create a customer once they contain an email address, and keep a customer that is deleted in Stripe', async () => {
    const seller = await makeAccount()
    const [created, ...rest] = LIFECYCLES.customer ?? []
    if (created) await deliver(seller, created)
    expect(await readEverything(seller)).toEqual([])
    await deliver(seller, ...rest)
    const address = { line1: 'Rue 1', city: 'Lyon', postalCode: '69001', country: 'FR' }
    expect(await readEverything(seller)).toEqual([
      {
        email: 'ada@example.com',
        name: 'Ada',
        phone: '+331',
        gatewayCustomerId: 'cus_1',
        address,
        shipping: { name: 'Ada B.', address },
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:01:30.000Z',
      },
    ])
    expect((await listEvents({ seller })).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
  })

  it.each([
    ['a charge without a payment intent', [makeCharge({ payment_intent: null })], { status: 'paid', amount: 2500, amountPaid: 2500 }],
    ['a refunded charge', [makeCharge({ payment_intent: null, amount_refunded: 2500, refunded: true })], { status: 'refunded' }],
    [
      'a failed charge',
      [makeCharge({ payment_intent: null, status: 'failed', captured: false, amount_captured: 0 })],
      { status: 'failed', amountDue: 2500 },
    ],
    [
      'an uncaptured charge',
      [makeCharge({ payment_intent: null, captured: false, amount_captured: 0 })],
      { status: 'pending', amountPaid: 0 },
    ],
    [
      'a released charge',
      [makeCharge({ payment_intent: null, captured: false, amount_captured: 0, amount_refunded: 2500, refunded: true })],
      { status: 'canceled' },
    ],
    // Stripe does not always report the uncaptured amount as refunded.
    [
      'a partially captured charge',
      [makeCharge({ payment_intent: null, amount_captured: 2000, amount_refunded: 500 })],
      { status: 'paid', amount: 2000 },
    ],
    ['a partially captured charge without a refund', [makeCharge({ payment_intent: null, amount_captured: 2000 })], { status: 'paid' }],
    ['a full refund that is not marked as such', [makeCharge({ payment_intent: null, amount_refunded: 2500 })], { status: 'refunded' }],
    [
      'a canceled intent',
      [makeIntent({ status: 'canceled', canceled_at: NOON + 9, cancellation_reason: 'abandoned' })],
      { status: 'canceled', canceledReason: 'abandoned', canceledAt: '2026-03-01T12:00:09.000Z' },
    ],
    ['an intent that requires action', [makeIntent({ status: 'requires_action' })], { status: 'pending' }],
    [
      'a partially captured intent',
      [makeIntent({ status: 'succeeded', amount_received: 2000 })],
      { status: 'paid', amount: 2000, amountDue: 0 },
    ],
    [
      'an intent with a page ID',
      [makeIntent({ metadata: { pageId: 'ABCDEFabcdefabcdefabcdef' } })],
      { pageId: 'abcdefabcdefabcdefabcdef' },
    ],
    ['an intent with an invalid page ID', [makeIntent({ metadata: { pageId: 'front' } })], { status: 'created' }],
  ])('are mapped to a payment: %s', async (_, objects, expected) => {
    const seller = await makeAccount()
    await deliver(
      seller,
      ...objects.map((object) => makeEvent(object.object === 'charge' ? 'charge.updated' : 'payment_intent.processing', object)),
    )
    expect(await readRecords(seller, 'payments')).toMatchObject([expected])
    expect((await listEvents({ seller })).map(({ state }) => state)).toEqual(['done'])
  })

  it.each(['payments', 'bookings'] as const)(
    'mark one of the %s as paid once, in whatever order the events about its intent and charge arrive',
    async (name) => {
      const created = makeEvent('payment_intent.created', makeIntent(), NOON + 5)
      const charged = makeEvent('charge.succeeded', makeCharge(), NOON + 5)
      const succeeded = makeEvent('payment_intent.succeeded', makeIntent({ status: 'succeeded', amount_received: 2500 }), NOON + 5)
      for (const order of permute([created, charged, succeeded])) {
        const seller = await makeAccount()
        if (name === 'bookings')
          await importLines(name, seller, [minimal(name, { gatewayPaymentIntentId: 'pi_1', status: 'pending', amount: 2500 })])
        const statuses: unknown[] = []
        for (const event of order) {
          await deliver(seller, event)
          statuses.push((await readRecords(seller, name))[0]?.status)
        }
        expect(statuses.slice(statuses.indexOf('paid'))).toEqual(Array(3 - statuses.indexOf('paid')).fill('paid'))
        const paid = `${name.slice(0, -1)}.paid`
        expect((await readEvents(seller)).filter(({ type }) => type === paid)).toHaveLength(1)
      }
    },
  )

  it('within a second are applied in the order of their changes to the object', async () => {
    const refund = (id: string, refunded: number, before: number) => ({
      ...makeEvent('charge.refunded', makeCharge({ amount_refunded: refunded, refunded: refunded === 2500 }), NOON + 60),
      id,
      data: {
        object: makeCharge({ amount_refunded: refunded, refunded: refunded === 2500 }),
        previous_attributes: { amount_refunded: before },
      },
    })
    const update = (id: string, changed: object, previous_attributes: object) => ({
      ...makeEvent('customer.subscription.updated', makeSubscription(changed), NOON + 6),
      id,
      data: { object: makeSubscription(changed), previous_attributes },
    })
    const card = { default_payment_method: 'pm_1' }
    const histories = (ids: [string, string, string]) => ({
      payments: [refund(`${ids[0]}_charge`, 500, 0), refund(`${ids[1]}_charge`, 1500, 500), refund(`${ids[2]}_charge`, 2500, 1500)],
      subscriptions: [
        update(ids[0], { status: 'incomplete', ...card }, { default_payment_method: null }),
        update(ids[1], { status: 'active', ...card }, { status: 'incomplete' }),
        update(ids[2], { status: 'active', ...card, metadata: { orderId: 'OR-2' } }, { metadata: { orderId: null } }),
      ],
    })
    for (const ids of permute(['evt_1', 'evt_2', 'evt_3'])) {
      const { payments, subscriptions } = histories(ids as [string, string, string])
      const seller = await makeAccount()
      await deliver(seller, makeEvent('charge.succeeded', makeCharge(), NOON + 5), ...payments)
      await deliver(seller, makeEvent('customer.subscription.created', makeSubscription()), ...subscriptions.toReversed())
      expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded' }])
      expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ status: 'active', orderId: 'OR-2' }])
    }
  })

  it('set a refunded payment back to paid if the refund fails', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...(LIFECYCLES.payment ?? []))
    await deliver(seller, makeEvent('charge.updated', makeCharge(), NOON + 120))
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'paid' }])
  })

  it.each(Object.entries(LIFECYCLES))('produce the same record for a %s, in any order and with repetitions', async (_, lifecycle) => {
    const inOrder = await makeAccount()
    await deliver(inOrder, ...lifecycle)
    const expected = await readEverything(inOrder)
    expect(expected.length).toBeGreaterThan(0)
    const deliveries = fc.tuple(
      fc
        .shuffledSubarray([...lifecycle, ...lifecycle], { minLength: lifecycle.length })
        .filter((sent) => lifecycle.every((event) => sent.includes(event))),
      fc.infiniteStream(fc.boolean()),
    )
    await fc.assert(
      fc.asyncProperty(deliveries, async ([sent, pauses]) => {
        const seller = await makeAccount()
        for (const event of sent) {
          await send(seller, event)
          // Events are processed one at a time, or several at once if more have arrived in the meantime.
          if (pauses.next().value) await processEvents(seller)
        }
        await processEvents(seller)
        expect(await readEverything(seller)).toEqual(expected)
      }),
      { numRuns: 4 },
    )
  })
})

describe('a customer from Stripe', () => {
  it('is merged with the customer of an imported order with the same Stripe ID, and keeps manually edited members', async () => {
    const seller = await makeAccount()
    const now = Math.floor(Date.now() / 1000)
    await deliver(seller, makeEvent('customer.created', makeStripeCustomer({ created: now, phone: '+331' }), now))
    const customerId = newObjectId()
    const order = { customerId, customerEmail: 'old@example.com', gatewayCustomerId: 'cus_1', status: 'active' }
    await importLines('subscriptions', seller, [minimal('subscriptions', order)])
    expect(await readRecords(seller, 'customers')).toMatchObject([{ id: customerId, email: 'ada@example.com', phone: '+331' }])
    await deliver(seller, makeEvent('customer.updated', makeStripeCustomer({ created: now, name: 'Ada King' }), now + 9))
    expect(await readRecords(seller, 'customers')).toMatchObject([{ id: customerId, name: 'Ada King' }])
    await editCustomer(seller, undefined, customerId, () => true, { name: 'Countess' })
    await deliver(seller, makeEvent('customer.updated', makeStripeCustomer({ created: now, name: 'Ada L.', phone: '+332' }), now + 10))
    expect(await readRecords(seller, 'customers')).toMatchObject([{ id: customerId, name: 'Countess', phone: '+332' }])
  })
})

describe('an imported record', () => {
  it('is updated by events about its payment intent, subscription or coupon, and keeps its other members', async () => {
    const seller = await makeAccount()
    const payment = minimal('payments', { gatewayPaymentIntentId: 'pi_1', orderId: 'OR-9', customerEmail: 'old@example.com', sku: 'SKU' })
    const subscription = minimal('subscriptions', { gatewaySubscriptionId: 'sub_1', sku: 'SKU' })
    const coupon = minimal('coupons', { gatewayCouponId: 'SUMMER', code: 'HELLO' })
    await importLines('payments', seller, [payment])
    await importLines('subscriptions', seller, [subscription])
    await importLines('coupons', seller, [coupon])
    await deliver(
      seller,
      makeEvent('payment_intent.created', makeIntent()),
      makeEvent('customer.subscription.created', makeSubscription()),
      makeEvent('coupon.created', makeStripeCoupon()),
    )
    const { id, createdAt, orderId, customerEmail, sku } = payment
    expect(await readRecords(seller, 'payments')).toMatchObject([
      { id, createdAt, orderId, customerEmail, sku, status: 'created', amount: 2500 },
    ])
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ id: subscription.id, sku: 'SKU', status: 'incomplete' }])
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ id: coupon.id, code: 'HELLO', label: coupon.label, percentOff: 20 }])
  })

  it('keeps its address if Stripe’s repeats only parts of it, and takes over one that differs', async () => {
    const seller = await makeAccount()
    const address = { line1: 'Quay Street 12', city: 'Utrecht', postalCode: '3511', country: 'NL' }
    await importLines('customers', seller, [minimal('customers', { gatewayCustomerId: 'cus_1', address })])
    await deliver(seller, makeEvent('customer.created', makeStripeCustomer({ address: COUNTRY_ONLY })))
    expect((await readRecords(seller, 'customers'))[0]?.address).toEqual(address)
    const moved = makeStripeCustomer({ address: { ...COUNTRY_ONLY, city: 'Leiden' } })
    await deliver(seller, makeEvent('customer.updated', moved, NOON + 5))
    expect((await readRecords(seller, 'customers'))[0]?.address).toEqual({ city: 'Leiden', country: 'NL' })
  })

  it('keeps the contact details that a charge or an invoice lacks', async () => {
    const seller = await makeAccount()
    const address = { line1: 'Quay Street 12', city: 'Utrecht', postalCode: '3511', country: 'NL' }
    const billing = { name: 'Zoë Haddad', companyName: 'Haddad BV', phone: '+316', email: 'zoe@example.com', address }
    await importLines('bookings', seller, [
      minimal('bookings', { gatewayPaymentIntentId: 'pi_1', status: 'pending', billing, tickets: [{ name: 'Seat', quantity: 1 }] }),
    ])
    await importLines('subscriptions', seller, [minimal('subscriptions', { gatewaySubscriptionId: 'sub_1', billing })])
    const charge = makeCharge({ billing_details: { address: COUNTRY_ONLY, email: null, name: null, phone: '+317', tax_id: null } })
    const invoice = makeInvoice({ customer_name: null, customer_address: COUNTRY_ONLY })
    await deliver(seller, makeEvent('charge.succeeded', charge, NOON + 5), makeEvent('invoice.finalized', invoice))
    expect(await readRecords(seller, 'bookings')).toMatchObject([{ status: 'paid', billing: { ...billing, phone: '+317' } }])
    expect(await readRecords(seller, 'subscriptions')).toMatchObject([{ billing: { ...billing, email: 'billing@example.com' } }])
    const tickets = await rows<{ name: string }>(sql`select record ->> 'customerName' as name from tickets where seller_id = ${seller}`)
    expect(tickets).toEqual([{ name: 'Zoë Haddad' }])
  })

  it('gets the contact details and the address of the latest charge, without those of another person', async () => {
    const seller = await makeAccount()
    const billing = { name: 'Zoë Haddad', address: { line1: 'Quay Street 12', city: 'Utrecht', country: 'NL' } }
    await importLines('payments', seller, [minimal('payments', { gatewayPaymentIntentId: 'pi_1', billing })])
    const details = { email: null, name: null, phone: null, tax_id: null }
    const german = { ...COUNTRY_ONLY, city: 'Berlin', country: 'DE' }
    const declined = makeCharge({ id: 'ch_0', created: NOON + 3, status: 'failed', captured: false, amount_captured: 0 })
    const ann = { ...details, name: 'Ann', email: 'ann@example.com', phone: '+31', address: ADDRESS }
    await deliver(seller, makeEvent('charge.failed', { ...declined, billing_details: ann }, NOON + 3))
    await deliver(
      seller,
      makeEvent('charge.succeeded', makeCharge({ billing_details: { ...details, name: 'Bob', address: german } }), NOON + 5),
    )
    const [payment] = await readRecords(seller, 'payments')
    expect(payment?.billing).toEqual({ name: 'Bob', address: { city: 'Berlin', country: 'DE' } })
  })

  it('remains a booking, and no payment is created, if events about its payment intent arrive', async () => {
    const seller = await makeAccount()
    const booking = minimal('bookings', { gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] })
    await importLines('bookings', seller, [booking])
    const tickets = async () =>
      (await rows<{ status: string }>(sql`select status from tickets where seller_id = ${seller}`)).map(({ status }) => status)
    expect(await tickets()).toEqual(['PAID', 'PAID'])
    await deliver(seller, ...(LIFECYCLES.payment ?? []))
    expect(await readRecords(seller, 'payments')).toEqual([])
    expect(await readRecords(seller, 'bookings')).toMatchObject([{ id: booking.id, status: 'refunded', tickets: booking.tickets }])
    expect(await tickets()).toEqual(['CANCELED', 'CANCELED'])
  })

  /** Returns the events as if they had happened an hour ago. An import replaces only records that were created in the last 90 days. */
  const recently = (events: StripeEvent[]): StripeEvent[] => {
    const offset = Math.floor(Date.now() / 1000) - 3600 - NOON
    return JSON.parse(JSON.stringify(events), (_, value) => (typeof value === 'number' && value >= NOON ? value + offset : value))
  }
  const REFUNDED = recently(LIFECYCLES.payment ?? [])
  const listStatuses = async (seller: string) =>
    (await rows<{ status: string }>(sql`select status from tickets where seller_id = ${seller}`)).map(({ status }) => status)

  it('keeps its order ID, by which its tickets are found, and gets the one in the metadata only if it has none', async () => {
    const seller = await makeAccount()
    const booking = minimal('bookings', { orderId: 'OR-9', gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] })
    await importLines('tickets', seller, [minimal('tickets', { orderId: 'OR-9' }), minimal('tickets', { orderId: 'OR-9' })])
    await importLines('bookings', seller, [booking])
    await importLines('payments', seller, [minimal('payments', { orderId: undefined, gatewayPaymentIntentId: 'pi_1' })])
    await deliver(seller, ...REFUNDED)
    expect(await readRecords(seller, 'bookings')).toMatchObject([{ orderId: 'OR-9', status: 'refunded' }])
    expect(await readRecords(seller, 'payments')).toMatchObject([{ orderId: 'OR-1' }])
    expect(await listStatuses(seller)).toEqual(['CANCELED', 'CANCELED'])
    expect(await importLines('bookings', seller, [booking])).toMatchObject({ written: 0 })
  })

  it('gets the latest order ID in the metadata if its file has none, and is unchanged if it is imported again', async () => {
    const seller = await makeAccount()
    const payment = minimal('payments', { gatewayPaymentIntentId: 'pi_1' })
    await importLines('payments', seller, [payment])
    await deliver(seller, makeEvent('payment_intent.created', makeIntent({ metadata: { orderId: 'OR-1' } })))
    await deliver(seller, makeEvent('payment_intent.processing', makeIntent({ metadata: { orderId: 'OR-2' } }), NOON + 5))
    expect(await readRecords(seller, 'payments')).toMatchObject([{ orderId: 'OR-2' }])
    expect(await importLines('payments', seller, [payment])).toMatchObject({ written: 0 })
  })

  it('replaces the record created from earlier events, and includes their changes', async () => {
    const [late, early] = [await makeAccount(), await makeAccount()]
    const payment = minimal('payments', { gatewayPaymentIntentId: 'pi_1', customerEmail: 'old@example.com', sku: 'SKU' })
    const subscription = minimal('subscriptions', { gatewaySubscriptionId: 'sub_1', sku: 'SKU' })
    const coupon = minimal('coupons', { gatewayCouponId: 'SUMMER', code: 'HELLO' })
    const events = [
      ...REFUNDED,
      ...recently([makeEvent('customer.subscription.created', makeSubscription()), makeEvent('coupon.created', makeStripeCoupon())]),
    ]
    const other = minimal('payments', { gatewayPaymentIntentId: 'pi_other' })
    const imports = async (seller: string) => {
      await importLines('payments', seller, [payment, other])
      await importLines('subscriptions', seller, [subscription])
      await importLines('coupons', seller, [coupon])
    }
    await deliver(late, ...events)
    await imports(late)
    await imports(early)
    await deliver(early, ...events)
    const [afterwards, before] = [await readEverything(late), await readEverything(early)]
    expect(afterwards).toHaveLength(4)
    expect(afterwards).toEqual(before)
    expect((await readRecords(late, 'payments')).map(({ id }) => id)).toContain(payment.id)
    const secrets = await rows(
      sql`select secrets::text::jsonb as secrets from payments where seller_id in (${late}, ${early}) and id = ${payment.id}`,
    )
    expect(secrets).toEqual(Array(2).fill({ secrets: { gatewayPaymentIntentClientSecret: 'pi_1_secret_CANARY' } }))
    expect(await recount(false)).toEqual([])
    // Importing the same files again changes nothing, although their records lack the changes made by the events.
    await imports(late)
    expect(await readEverything(late)).toEqual(before)
  })

  it('takes over the manually edited members, the notes and the audit log entries of the record that it replaces', async () => {
    const seller = await makeAccount()
    await deliver(
      seller,
      ...recently([
        makeEvent('customer.created', makeStripeCustomer()),
        makeEvent('coupon.created', makeStripeCoupon()),
        makeEvent('payment_intent.created', makeIntent()),
      ]),
    )
    const [customer] = await readRecords(seller, 'customers')
    const [coupon] = await readRecords(seller, 'coupons')
    const [payment] = await readRecords(seller, 'payments')
    await editCustomer(seller, undefined, String(customer?.id), () => true, { name: 'Countess', phone: '+339' })
    await changeCoupon(seller, undefined, String(coupon?.id), { label: 'Staff only', deleted: true })
    const by = { userId: 'user', email: 'staff@example.com' }
    await addNote(seller, by, { resource: 'payments', id: String(payment?.id) }, 'Called')

    const imported = {
      customers: minimal('customers', { gatewayCustomerId: 'cus_1' }),
      coupons: minimal('coupons', { gatewayCouponId: 'SUMMER' }),
      bookings: minimal('bookings', { gatewayPaymentIntentId: 'pi_1' }),
    }
    for (const name of ['customers', 'coupons', 'bookings'] as const) await importLines(name, seller, [imported[name]])
    // Later events do not change the edited members either.
    await deliver(seller, ...recently([makeEvent('customer.updated', makeStripeCustomer({ name: 'Ada King' }), NOON + 9)]))
    expect(await readRecords(seller, 'customers')).toMatchObject([{ id: imported.customers.id, name: 'Countess', phone: '+339' }])
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ id: imported.coupons.id, label: 'Staff only', deleted: true }])
    const notes = await readActivity(seller, { resource: 'bookings', id: String(imported.bookings.id) })
    expect(notes).toMatchObject([{ kind: 'note', text: 'Called' }])
    expect((await listAudit(seller, { limit: 3 })).rows).toMatchObject([
      { action: 'note.added', subject: imported.bookings.id, recordId: imported.bookings.id },
      { action: 'coupon.changed', subject: 'SUMMER', recordId: imported.coupons.id },
      { action: 'customer.changed', subject: imported.customers.id, recordId: imported.customers.id },
    ])
    expect(await readActivity(seller, { resource: 'customers', id: String(imported.customers.id) })).toMatchObject([{ kind: 'change' }])

    // Importing the same files again changes nothing, although their lines lack the edited values.
    const before = await readEverything(seller)
    for (const name of ['customers', 'coupons', 'bookings'] as const)
      expect(await importLines(name, seller, [imported[name]])).toMatchObject({ written: 0, unchanged: 1 })
    expect(await readEverything(seller)).toEqual(before)
  })

  it('rejects notes that are added or restored while it replaces the record, because they would be lost', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...recently([makeEvent('payment_intent.created', makeIntent())]))
    const [payment] = await readRecords(seller, 'payments')
    const by = { userId: 'user', email: 'staff@example.com' }
    const record = { resource: 'payments', id: String(payment?.id) } as const
    const deleted = String(await deleteNote(seller, by, String(await addNote(seller, by, record, 'Called')), false))
    const writer = writerFor(resources.payments)
    const imported = writer.toRow(minimal('payments', { sellerId: seller, gatewayPaymentIntentId: 'pi_1' }))
    const saving = await database().transaction(async (connection) => {
      await writer.write(connection, seller, [imported])
      await reconcile(connection, seller, 'payment', ['pi_1'], [imported.id])
      const saved = Promise.all([addNote(seller, by, record, 'Paid'), restoreNote(seller, by, deleted)])
      await Promise.race([saved, untilBlocking(connection, 2)])
      return { saved }
    })
    expect(await readRecords(seller, 'payments')).toMatchObject([{ id: imported.id }])
    expect(await saving.saved).toEqual([undefined, false])
    expect(await rows(sql`select text from record_notes where seller_id = ${seller}`)).toEqual([])
  })

  it('has no valid tickets if it is a refunded booking, regardless of the order and number of imports', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...REFUNDED)
    expect(await readRecords(seller, 'payments')).toHaveLength(1)
    const booking = minimal('bookings', { gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] })
    await importLines('bookings', seller, [booking])
    for (const tickets of [[], [minimal('tickets', { chargeId: booking.id })]]) {
      await importLines('tickets', seller, tickets)
      await importLines('bookings', seller, [booking])
      expect(await readRecords(seller, 'payments')).toEqual([])
      expect(await readRecords(seller, 'bookings')).toMatchObject([{ id: booking.id, status: 'refunded' }])
      expect((await listStatuses(seller)).filter((status) => status !== 'CANCELED')).toEqual([])
    }
  })

  it('remains the only record of its object if events arrive during the import', async () => {
    for (let round = 0; round < 8; round += 1) {
      const seller = await makeAccount()
      const payment = minimal('payments', { gatewayPaymentIntentId: 'pi_1' })
      const events = REFUNDED.map((event) => () => deliver(seller, event))
      const importing = async () => void (await importLines('payments', seller, [payment]))
      await Promise.all(events.toSpliced(round, 0, importing).map((step) => step()))
      expect(await readRecords(seller, 'payments')).toMatchObject([{ id: payment.id, status: 'refunded' }])
    }
  })

  it('does not replace a record created from events if some of the events might have been deleted', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...(LIFECYCLES.payment ?? []))
    await importLines('payments', seller, [minimal('payments', { gatewayPaymentIntentId: 'pi_1' })])
    expect((await readRecords(seller, 'payments')).map(({ status }) => status)).toEqual(['refunded', 'refunded'])
  })

  it('is refunded even if another record has the same payment intent, in any order of imports and events', async () => {
    for (const order of [0, 1, 2]) {
      const seller = await makeAccount()
      const payment = minimal('payments', { gatewayPaymentIntentId: 'pi_1' })
      const booking = minimal('bookings', { gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] })
      const imports: (() => Promise<unknown>)[] = [
        () => importLines('payments', seller, [payment]),
        () => importLines('bookings', seller, [booking]),
      ]
      const steps = imports.toSpliced(order, 0, () => deliver(seller, ...REFUNDED))
      for (const step of steps) await step()
      expect(await readRecords(seller, 'payments')).toMatchObject([{ id: payment.id, status: 'refunded' }])
      expect(await readRecords(seller, 'bookings')).toMatchObject([{ id: booking.id, status: 'refunded' }])
      // A booking that has already been refunded when it is imported gets no tickets.
      expect(await listStatuses(seller)).toEqual(order === 2 ? ['CANCELED', 'CANCELED'] : [])
    }
  })

  it('can share its Stripe ID with other records, or have none', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...REFUNDED)
    const paid = ['', 'cash', 'pi_1'].flatMap((gatewayPaymentIntentId) =>
      Array.from({ length: 150 }, () => minimal('payments', { gatewayPaymentIntentId })),
    )
    expect(await importLines('payments', seller, paid)).toMatchObject({ written: 450, rejects: [] })
    const refunded = (await readRecords(seller, 'payments')).filter(({ status }) => status === 'refunded')
    expect(refunded.map(({ id }) => id).sort()).toEqual(
      paid
        .slice(300)
        .map(({ id }) => id)
        .sort(),
    )
  })

  it('is unchanged if too many records share its Stripe ID, and the event fails', async () => {
    const seller = await makeAccount()
    const many = Array.from({ length: 1001 }, () => minimal('payments', { gatewayPaymentIntentId: 'pi_1' }))
    await importLines('payments', seller, many)
    await deliver(seller, makeEvent('payment_intent.created', makeIntent()))
    expect(await listEvents({ seller, state: 'failed' })).toMatchObject([
      { error: 'more than 1000 records have the Stripe ID of the event’s object' },
    ])
    expect(new Set((await readRecords(seller, 'payments')).map(({ status }) => status))).toEqual(new Set(['paid']))
  })

  it('is unchanged, with its tickets and other records of the same object, if it is imported again after events changed it', async () => {
    const seller = await makeAccount()
    const lines = {
      bookings: [
        minimal('bookings', { gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] }),
        minimal('bookings', { tickets: [{ name: 'Seat' }] }),
      ],
      payments: [minimal('payments', { gatewayPaymentIntentId: 'pi_1' }), minimal('payments')],
      customers: [minimal('customers', { gatewayCustomerId: 'cus_1', name: 'Old' })],
    }
    const importAll = async () => {
      const results: unknown[] = []
      for (const name of ['bookings', 'payments', 'customers'] as const) {
        const text = lines[name].map((line) => JSON.stringify(line)).join('\n')
        const { written, unchanged } = await importText(name, seller, text, { events: true })
        results.push({ written, unchanged })
      }
      return results
    }
    await importAll()
    await deliver(seller, ...(LIFECYCLES.payment ?? []), makeEvent('customer.updated', makeStripeCustomer({ name: 'Ada King' })))
    const [before, events] = [await readEverything(seller), await readEvents(seller)]
    expect(before).toContainEqual(expect.objectContaining({ status: 'refunded', tickets: lines.bookings[0]?.tickets }))
    for (let round = 0; round < 2; round += 1) {
      expect(await importAll()).toEqual([
        { written: 0, unchanged: 2 },
        { written: 0, unchanged: 2 },
        { written: 0, unchanged: 1 },
      ])
    }
    expect(await readEvents(seller)).toEqual(events)
    expect(await readEverything(seller)).toEqual(before)
    expect(await listStatuses(seller)).toEqual(expect.arrayContaining(['CANCELED', 'CANCELED', 'PAID']))
    // If a line itself changes, its import writes one event.
    Object.assign(lines.bookings[0] ?? {}, { orderStatus: 'new' })
    expect(await importAll()).toMatchObject([{ written: 1, unchanged: 1 }, { written: 0 }, { written: 0 }])
    const added = (await readEvents(seller)).slice(events.length)
    expect(added.map(({ type }) => type)).toEqual(['booking.updated'])
    expect(await readRecords(seller, 'bookings')).toContainEqual(expect.objectContaining({ orderStatus: 'new', status: 'refunded' }))
  })

  it('is imported in its current state if events about it arrived first', async () => {
    const seller = await makeAccount()
    await deliver(seller, ...(LIFECYCLES.payment ?? []))
    const earlier = await readEvents(seller)
    const booking = minimal('bookings', { gatewayPaymentIntentId: 'pi_1', tickets: [{ name: 'Seat', quantity: 2 }] })
    await importText('bookings', seller, JSON.stringify(booking), { events: true })
    const added = (await readEvents(seller)).slice(earlier.length)
    expect(added.map(({ type }) => type)).toEqual(['booking.created', 'booking.refunded'])
  })

  it('keeps its manually edited members, even if the file has other values', async () => {
    const seller = await makeAccount()
    const customer = minimal('customers', { gatewayCustomerId: 'cus_1', name: 'Old', phone: '+331' })
    await importLines('customers', seller, [customer])
    await deliver(seller, makeEvent('customer.updated', makeStripeCustomer({ name: 'Ada King', phone: '+332' })))
    await editCustomer(seller, undefined, String(customer.id), () => true, { name: 'Countess', phone: null })
    const [edited] = await readRecords(seller, 'customers')
    for (const line of [customer, { ...customer, name: 'New', phone: '+333', taxId: 'NL1' }]) {
      await importLines('customers', seller, [line])
      expect(await readRecords(seller, 'customers')).toEqual([{ ...edited, ...('taxId' in line ? { taxId: line.taxId } : {}) }])
    }
  })

  it('is redacted if it is about an erased person, even if an event replaces its email address', async () => {
    const seller = await makeAccount()
    const customer = minimal('customers', { email: 'jane@example.com' })
    await importLines('customers', seller, [customer])
    await deliver(seller, ...(LIFECYCLES.payment ?? []))
    await database().transaction(async (connection) => {
      const current = await lockForErasure(connection, seller, String(customer.id))
      await eraseCustomer(connection, seller, undefined, String(current))
    })
    const fields = [{ label: 'Name of the guest', value: 'Jane CANARY' }]
    await importLines('payments', seller, [
      minimal('payments', { gatewayPaymentIntentId: 'pi_1', customerEmail: 'jane@example.com', fields }),
    ])
    expect(await readRecords(seller, 'payments')).toContainEqual(
      expect.objectContaining({ customerEmail: 'ada@example.com', fields: [{ ...fields[0], value: 'Erased' }] }),
    )
  })
})
