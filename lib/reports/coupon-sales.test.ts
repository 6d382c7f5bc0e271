/** The sales with a coupon include its revenue, its discount and its newest orders. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { readCouponOrders, readCouponSales } from './coupon-sales'

beforeAll(openTestDatabase)

it('sums the revenue and the discount of a coupon’s paid orders by currency, and lists its newest orders', async () => {
  const seller = await makeSeller()
  const coupon = minimal('coupons', { code: 'SPRING' })
  const id = String(coupon.id)
  const order = (orderId: string, overrides: object) => ({ orderId, currency: 'eur', coupon: { id, discount: 200 }, ...overrides })
  await importLines('coupons', seller, [coupon])
  await importLines('payments', seller, [
    minimal('payments', order('A', { amount: 1000, createdAt: '2026-03-01T12:00:00.000Z' })),
    minimal('payments', order('B', { amount: 500, currency: 'jpy', createdAt: '2026-03-02T12:00:00.000Z' })),
    minimal('payments', order('REFUNDED', { amount: 900, status: 'refunded', createdAt: '2026-03-03T12:00:00.000Z' })),
    minimal('payments', order('FAILED', { amount: 900, status: 'failed', createdAt: '2026-03-04T12:00:00.000Z' })),
    minimal('payments', order('TEST', { amount: 900, livemode: false, createdAt: '2026-03-05T12:00:00.000Z' })),
    // This order contains only the code of its coupon, in another letter case.
    minimal('payments', order('BY-CODE', { amount: 300, coupon: { code: 'spring', discount: 50 }, createdAt: '2026-03-06T12:00:00.000Z' })),
    minimal('payments', order('OTHER', { amount: 700, coupon: { code: 'SPRING2' } })),
    minimal('payments', { amount: 700 }),
  ])
  await importLines('bookings', seller, [minimal('bookings', order('C', { amount: 2000, createdAt: '2026-03-07T12:00:00.000Z' }))])
  await importLines('subscriptions', seller, [
    minimal('subscriptions', { orderId: 'S', couponId: id.toUpperCase(), createdAt: '2026-03-08T12:00:00.000Z' }),
  ])

  const sales = await readCouponSales(seller, { id, code: 'SPRING' })
  expect(sales).toMatchObject({
    orders: 7,
    subscriptions: 1,
    sums: [
      { currency: 'EUR', orders: 5, revenue: 3300, discount: 450, unreported: 0 },
      { currency: 'JPY', orders: 1, revenue: 500, discount: 200, unreported: 0 },
    ],
  })
  const latest = await readCouponOrders(seller, { id, code: 'SPRING' })
  expect(latest.map(({ resource, record }) => `${resource} ${record.orderId}`)).toEqual([
    'subscriptions S',
    'bookings C',
    'payments BY-CODE',
    'payments TEST',
    'payments FAILED',
    'payments REFUNDED',
    'payments B',
    'payments A',
  ])
  const other = await makeSeller()
  expect(await readCouponSales(other, { id, code: 'SPRING' })).toEqual({ orders: 0, subscriptions: 0, sums: [] })
  expect(await readCouponOrders(other, { id, code: 'SPRING' })).toEqual([])
})

it('counts paid orders without a discount amount as unreported, instead of computing the amount from the coupon', async () => {
  const seller = await makeSeller()
  const coupon = minimal('coupons', { code: 'EARLY' })
  const id = String(coupon.id)
  const order = (discount: object, amount: number) => minimal('payments', { amount, currency: 'eur', coupon: { id, ...discount } })
  await importLines('coupons', seller, [coupon])
  await importLines('payments', seller, [order({ percentOff: 10 }, 9000), order({ amountOff: 5000 }, 3000), order({ discount: 100 }, 900)])
  const { sums } = await readCouponSales(seller, { id, code: 'EARLY' })
  expect(sums).toEqual([{ currency: 'EUR', orders: 3, revenue: 12_900, discount: 100, unreported: 2 }])
})

it('includes the discount of orders that were free because of the coupon', async () => {
  const seller = await makeSeller()
  const coupon = minimal('coupons', { code: 'FREE', percentOff: 100 })
  const id = String(coupon.id)
  const order = (discount: number | undefined, status = 'paid') =>
    minimal('payments', { amount: 0, currency: 'eur', status, coupon: { id, percentOff: 100, discount } })
  await importLines('coupons', seller, [coupon])
  await importLines('payments', seller, [order(5000), order(2000), order(undefined), order(700, 'canceled')])
  const { sums } = await readCouponSales(seller, { id, code: 'FREE' })
  expect(sums).toEqual([{ currency: 'EUR', orders: 4, revenue: 0, discount: 7000, unreported: 1 }])
})
