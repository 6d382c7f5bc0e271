/** Each layout is accessible on tablets and large screens. The other specs check pages at 1280 and 390 px, in both themes. */
import { minimal } from '@/testing/seller'
import { expect, expectAccessible, test } from '../support/dashboard'

test('a table, records, the overview, settings and check-in are accessible at 1440 and 768 px', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const customer = { customerEmail: 'ada@example.com', billing: { name: 'Ada Lovelace' }, amount: 1250, currency: 'eur' }
  const payment = minimal('payments', { ...customer, status: 'failed', paymentError: 'Your card was declined.', productPrice: 1250 })
  const booking = minimal('bookings', { ...customer, tickets: [{ name: 'Balcony', ticketTypeId: 't', quantity: 1, price: 1250 }] })
  const coupon = minimal('coupons', { code: 'SPRING', timesRedeemed: 12, maxRedemptions: 500 })
  await shop.load('payments', [payment])
  await shop.load('bookings', [booking])
  await shop.load('coupons', [coupon])
  await shop.load('tickets', [
    minimal('tickets', { chargeId: booking.id, ticketTypeId: 't', customerName: 'Ada Lovelace', livemode: false }),
  ])
  for (const [path, landmark] of [
    ['/payments', 'Payments'],
    [`/payments/${payment.id}`, String(payment.id)],
    [`/bookings/${booking.id}`, String(booking.id)],
    [`/coupons/${coupon.id}`, 'SPRING'],
    ['/overview', 'Overview'],
    ['/settings/keys', 'API keys'],
    ['/door', undefined],
  ] as const) {
    await page.goto(baseUrl + path)
    await expect(landmark ? page.getByRole('heading', { name: landmark }) : page.getByLabel('Device name')).toBeVisible()
    for (const width of [1440, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await expectAccessible(page, `${path}, ${width} px`)
    }
  }
})
