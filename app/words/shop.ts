/** The words that every page of the dashboard has: names of places and of things. */
import type { ResourceName } from '@/lib/records'

export const words = {
  name: 'Checkout Desk',
  resources: { payments: 'Payments', bookings: 'Bookings', subscriptions: 'Subscriptions', coupons: 'Coupons' } satisfies Record<
    ResourceName,
    string
  >,
  /** What one record of a list is called. */
  one: { payments: 'Payment', bookings: 'Booking', subscriptions: 'Subscription', coupons: 'Coupon' } satisfies Record<
    ResourceName,
    string
  >,
  skip: 'Skip to the content',
  navigation: 'Main',
} as const
