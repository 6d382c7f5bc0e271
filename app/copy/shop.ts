/** The words that every page of the dashboard has: names of places and of things. */
import type { ResourceName } from '@/lib/catalog'

export const words = {
  name: 'Checkout Desk',
  description: 'The back office of a seller: what was sold, found in seconds, and guests let in at the door.',
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
  settings: 'Settings',
  dashboard: 'Dashboard',
  myPassword: 'My password',
  /** What the button says that changes it, by what is chosen. */
  theme: { system: 'Colours: as the system', light: 'Colours: light', dark: 'Colours: dark' },
} as const
