/** UI text for a coupon's sales. */
import { formatCount, formatPlural } from './format'

export const couponSalesCopy = {
  title: 'Sales with this coupon',
  revenue: 'Revenue',
  revenueHint: 'Paid orders, excluding refunded and test orders. Partial refunds are not deducted.',
  discount: 'Discount given',
  discountHint: 'On paid orders, excluding refunded and test orders.',
  unreported: (orders: number) => `not reported for ${formatPlural(orders, 'order')}`,
  unavailable: 'Not available right now. Reload the page to try again.',
  orders: 'Used in',
  ordersHint: 'All orders and subscriptions, including failed, refunded and test ones.',
  latest: 'Latest orders and subscriptions',
  noOrders: 'No orders or subscriptions with this coupon yet',
  none: 'None',
  usesHint: 'The payment gateway counts the uses, so this number can differ from the number of orders here.',
  used: (used: number) => `${formatCount(used)} used, no limit`,
  usedOf: (used: number, limit: number) => `${formatCount(used)} of ${formatCount(limit)} used`,
  left: (left: number) => `${formatCount(left)} left`,
} as const
