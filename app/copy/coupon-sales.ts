/** UI text for a coupon's sales. */
import { formatCount, formatPlural } from './format'

export const couponSalesCopy = {
  title: 'Sales with this coupon',
  revenue: 'Revenue',
  revenueHint: 'Paid orders, without refunded and test orders',
  discount: 'Discount given',
  discountHint: 'Taken off paid orders, without refunded and test orders',
  unreported: (orders: number) => `not reported for ${formatPlural(orders, 'order')}`,
  unavailable: 'Not available right now. Reload the page to try again.',
  orders: 'Used in',
  ordersHint: 'All orders and subscriptions, including failed, refunded and test ones. Uses are counted by the payment gateway.',
  latest: 'Newest orders',
  noOrders: 'No orders with this coupon yet',
  none: 'None',
  used: (used: number) => `${formatCount(used)} used, no limit`,
  usedOf: (used: number, limit: number) => `${formatCount(used)} of ${formatCount(limit)} used`,
  left: (left: number) => `${formatCount(left)} left`,
} as const
