/** Formats a coupon's sales for its page and for the drawer. */
import { couponSalesCopy as copy } from '@/app/copy/coupon-sales'
import { formatPlural } from '@/app/copy/format'
import { formatMoney } from '@/lib/core/money'
import type { CouponSales, CouponSums } from '@/lib/reports/coupon-sales'

/** A formatted value with its label. `text` may have several lines. */
export type Figure = { label: string; text: string; hint?: string }

/** Formats the sums, one currency per line. */
const formatSums = (sums: CouponSums[], member: 'revenue' | 'discount') =>
  sums.map(({ currency, [member]: amount }) => formatMoney(amount, currency || undefined)).join('\n')

/** Formats the discount given and the number of orders with an unknown discount. */
function formatDiscount(sums: CouponSums[]): string {
  const unreported = sums.reduce((total, sum) => total + sum.unreported, 0)
  const reported = formatSums(
    sums.filter((sum) => sum.discount > 0 || sum.unreported === 0),
    'discount',
  )
  return [...(reported ? [reported] : []), ...(unreported > 0 ? [copy.unreported(unreported)] : [])].join('\n') || copy.none
}

/** Returns the revenue, the discount given, and the number of orders and subscriptions that used the coupon. */
export const makeCouponFigures = ({ orders, subscriptions, sums }: CouponSales): Figure[] => [
  { label: copy.revenue, text: formatSums(sums, 'revenue') || copy.none, hint: copy.revenueHint },
  { label: copy.discount, text: formatDiscount(sums), hint: copy.discountHint },
  {
    label: copy.orders,
    text: [formatPlural(orders, 'order'), ...(subscriptions > 0 ? [formatPlural(subscriptions, 'subscription')] : [])].join('\n'),
    hint: copy.ordersHint,
  },
]
