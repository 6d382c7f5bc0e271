/** A customer's orders, subscriptions and coupons are found by the customer's ID or email address. */
import { expect, test } from 'vitest'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { resources } from '../catalog'
import { newObjectId } from '../core/object-id'
import { findCustomerIds, findCustomerOrders, findGuestCustomerIds } from './customer-orders'
import { newestMatches } from './search-records'

test('matches the whole email address, case-insensitively', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  await importLines('payments', other, [minimal('payments', { customerEmail: 'ada@example.com' })])
  await importLines('payments', seller, [
    minimal('payments', { customerEmail: 'Ada@Example.com', orderId: 'MINE' }),
    minimal('payments', { customerEmail: 'canada@example.com' }),
    minimal('payments', { customerEmail: 'ada@example.com.au' }),
    minimal('payments', { orderId: 'ada@example.com' }),
  ])
  const { lists } = await findCustomerOrders(seller, { id: 'none', email: 'ada@example.COM' })
  expect(lists.payments.count).toBe(1)
  expect(lists.payments.latest.map((text) => JSON.parse(text).orderId)).toEqual(['MINE'])
  expect(lists.bookings).toEqual({ count: 0, active: 0, paid: [], latest: [] })
})

test('sums the amounts paid in each currency, excluding fully refunded and test orders, and counts active subscriptions', async () => {
  const seller = await makeSeller()
  const customerEmail = 'ada@example.com'
  const payment = (overrides: object) => minimal('payments', { customerEmail, currency: 'eur', ...overrides })
  await importLines('payments', seller, [
    payment({ amount: 1000 }),
    payment({ amount: 700, amountPaid: 600, currency: 'EUR' }),
    payment({ amount: 900, amountPaid: 400, status: 'partially_paid' }),
    payment({ amount: 5000, amountPaid: 5000, status: 'refunded' }),
    payment({ amount: 5000, status: 'failed' }),
    payment({ amount: 5000, livemode: false }),
    payment({ amount: 2500, currency: 'jpy' }),
    payment({ amount: 1, currency: 'usd', status: 'draft' }),
  ])
  await importLines('subscriptions', seller, [
    minimal('subscriptions', { customerEmail, status: 'active', currency: 'eur' }),
    minimal('subscriptions', { customerEmail, status: 'canceled', currency: 'eur' }),
  ])
  const { lists } = await findCustomerOrders(seller, { id: 'none', email: customerEmail })
  expect(lists.payments).toMatchObject({ count: 8, active: 0 })
  expect(lists.payments.latest).toHaveLength(5)
  expect([...lists.payments.paid].sort((a, b) => a.currency.localeCompare(b.currency))).toEqual([
    { currency: 'EUR', amount: 2000 },
    { currency: 'JPY', amount: 2500 },
  ])
  expect(lists.subscriptions).toMatchObject({ count: 2, active: 1, paid: [] })
})

test('lists the customer’s coupons with their number of uses, including coupons that no longer exist', async () => {
  const seller = await makeSeller()
  const customerEmail = 'ada@example.com'
  const coupon = minimal('coupons', { code: 'SPRING', label: 'Spring' })
  await importLines('coupons', seller, [coupon, minimal('coupons', { code: 'OTHER' })])
  await importLines('payments', seller, [
    minimal('payments', { customerEmail, coupon: { id: coupon.id, code: 'spring-as-it-was' } }),
    minimal('payments', { customerEmail, coupon: { code: 'GONE', label: 'Long gone' } }),
    minimal('payments', { customerEmail: 'bob@example.com', coupon: { code: 'OTHER' } }),
  ])
  await importLines('subscriptions', seller, [minimal('subscriptions', { customerEmail, couponId: coupon.id })])
  expect((await findCustomerOrders(seller, { id: 'none', email: customerEmail })).coupons).toEqual([
    { id: coupon.id, code: 'SPRING', label: 'Spring', uses: 2 },
    { code: 'GONE', label: 'Long gone', uses: 1 },
  ])
})

test('lists a coupon once if orders contain only its code, in any letter case, and prefers a coupon that is not deleted', async () => {
  const seller = await makeSeller()
  const customerEmail = 'ada@example.com'
  const coupon = minimal('coupons', { code: 'SPRING', label: 'Spring', createdAt: '2026-01-01T00:00:00.000Z' })
  await importLines('coupons', seller, [coupon])
  await importLines('coupons', seller, [minimal('coupons', { code: 'Spring', deleted: true, createdAt: '2026-02-01T00:00:00.000Z' })])
  const used = [{ id: coupon.id, code: 'SPRING' }, { code: 'SPRING' }, { code: 'spring' }, { code: 'Gone' }, { code: 'GONE' }]
  await importLines(
    'payments',
    seller,
    used.map((copy) => minimal('payments', { customerEmail, coupon: copy })),
  )
  const { coupons } = await findCustomerOrders(seller, { id: 'none', email: customerEmail })
  expect(coupons).toMatchObject([
    { id: coupon.id, code: 'SPRING', label: 'Spring', uses: 3 },
    { code: expect.stringMatching(/^gone$/i), uses: 2 },
  ])
  expect(coupons[1]?.id).toBeUndefined()
})

test('includes orders with the customer’s ID and another email address, but no orders of other customers', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const id = newObjectId()
  await importLines('payments', other, [minimal('payments', { customerId: id })])
  await importLines('payments', seller, [
    minimal('payments', { customerId: id, customerEmail: 'old@example.com', orderId: 'OLD' }),
    minimal('payments', { customerId: newObjectId(), orderId: 'OTHER' }),
    minimal('payments', { orderId: 'NONE' }),
  ])
  const { lists } = await findCustomerOrders(seller, { id, email: 'new@example.com' })
  expect(lists.payments.latest.map((text) => JSON.parse(text).orderId)).toEqual(['OLD'])
})

test('returns the email address that all records of a resource share, so a search for it finds all of them', async () => {
  const seller = await makeSeller()
  const id = newObjectId()
  const payment = (customerEmail?: string, currency = 'eur') => minimal('payments', { customerId: id, customerEmail, currency })
  const readEmail = async () => (await findCustomerOrders(seller, { id, email: 'new@example.com' })).lists.payments.email
  expect(await readEmail()).toBeUndefined()
  await importLines('payments', seller, [payment('old@example.com'), payment('Old@Example.com', 'usd')])
  expect(await readEmail()).toBe('old@example.com')
  expect(await newestMatches(resources.payments, seller, 'old@example.com', 5)).toHaveLength(2)
  const other = payment()
  for (const customerEmail of ['new@example.com', '', undefined]) {
    await importLines('payments', seller, [{ ...other, customerEmail }])
    expect(await readEmail(), customerEmail).toBeUndefined()
  }
})

test('finds no records by an empty ID, an empty email address, or both', async () => {
  const seller = await makeSeller()
  const payments = [
    { customerId: '', customerEmail: 'ada@example.com' },
    { customerId: '', customerEmail: 'bob@example.com' },
    { customerId: '', customerEmail: '' },
    { customerId: 'known', customerEmail: '' },
  ]
  await importLines(
    'payments',
    seller,
    payments.map((payment) => minimal('payments', payment)),
  )
  const count = async (id: string, email: string) => (await findCustomerOrders(seller, { id, email })).lists.payments.count
  expect([await count('', 'ada@example.com'), await count('known', ''), await count('', '')]).toEqual([1, 1, 0])
})

test('returns only the IDs of existing customers of the seller, in lowercase', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const [ada, grace] = [minimal('customers', {}), minimal('customers', {})]
  await importLines('customers', seller, [ada])
  await importLines('customers', other, [grace])
  const ids = [String(ada.id).toUpperCase(), ada.id, grace.id, 'not an ID', undefined]
  expect(await findCustomerIds(seller, ids)).toEqual(new Set([ada.id]))
})

test('finds the customers of guests who booked their ticket themselves', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const ada = minimal('customers', {})
  await importLines('customers', seller, [ada])
  const booking = (customerId: unknown) => minimal('bookings', { customerId, customerEmail: 'ada@example.com' })
  const [known, unknown] = [booking(String(ada.id).toUpperCase()), booking('elsewhere')]
  await importLines('bookings', seller, [known, unknown])
  const ticket = (chargeId: unknown, customerEmail?: string) => minimal('tickets', { chargeId, customerEmail })
  const own = ticket(known.id, 'Ada@example.com')
  const others = [
    ticket(known.id, 'friend@example.com'),
    ticket(known.id),
    ticket(unknown.id, 'ada@example.com'),
    ticket(newObjectId(), 'ada@example.com'),
  ]
  await importLines('tickets', seller, [own, ...others])
  const ids = [own, ...others].map(({ id }) => String(id))
  expect(await findGuestCustomerIds(seller, ids)).toEqual(new Map([[own.id, ada.id]]))
  expect(await findGuestCustomerIds(other, ids)).toEqual(new Map())
})
