/** Names of the product, its pages and its records. */
import type { ResourceName } from '@/lib/catalog'

export const shopCopy = {
  name: 'Checkout Desk',
  description: 'The back office of your shop: find any order in seconds and check in guests.',
  resources: { payments: 'Payments', bookings: 'Bookings', subscriptions: 'Subscriptions', coupons: 'Coupons' } satisfies Record<
    ResourceName,
    string
  >,
  /** One record of each list. */
  one: { payments: 'Payment', bookings: 'Booking', subscriptions: 'Subscription', coupons: 'Coupon' } satisfies Record<
    ResourceName,
    string
  >,
  skip: 'Skip to content',
  navigation: 'Main',
  settings: 'Settings',
  dashboard: 'Dashboard',
  myPassword: 'My password',
  /** Labels of the theme button, by the current theme. */
  theme: { system: 'Theme: System', light: 'Theme: Light', dark: 'Theme: Dark' },
} as const
