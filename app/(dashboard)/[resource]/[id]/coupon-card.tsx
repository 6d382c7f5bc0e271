/** What a coupon earns: its uses, revenue, the discount given, and its orders. */
import { couponSalesCopy as copy } from '@/app/copy/coupon-sales'
import { formatPlural } from '@/app/copy/format'
import { resources } from '@/lib/catalog'
import { formatMoney } from '@/lib/core/money'
import { type CouponSums, readCouponSales } from '@/lib/reports/coupon-sales'
import { LatestRecord } from './customer'
import { Card } from './sections'

type Coupon = { id: string; code: string; timesRedeemed: number; maxRedemptions?: number | undefined }

const format = (sums: CouponSums[], member: 'revenue' | 'discount') =>
  sums.map(({ currency, [member]: amount }) => formatMoney(amount, currency || undefined)).join(' · ') || copy.none

export async function CouponCard({ sellerId, coupon, timeZone }: { sellerId: string; coupon: Coupon; timeZone: string }) {
  const { orders, subscriptions, sums, latest } = await readCouponSales(sellerId, coupon)
  const figures = [
    { label: copy.revenue, text: format(sums, 'revenue'), hint: copy.revenueHint },
    { label: copy.discount, text: format(sums, 'discount'), hint: copy.discountHint },
    {
      label: copy.orders,
      text: [formatPlural(orders, 'order'), ...(subscriptions > 0 ? [formatPlural(subscriptions, 'subscription')] : [])].join(', '),
    },
  ]
  return (
    <>
      <Card id="sales" title={copy.title}>
        <dl className="mt-2 grid gap-4 sm:grid-cols-3">
          {figures.map(({ label, text, hint }) => (
            <div key={label}>
              <dt title={hint} className="text-quiet text-sm">
                {label}
              </dt>
              <dd className="font-semibold text-lg tabular-nums">{text}</dd>
            </div>
          ))}
        </dl>
        <Uses {...coupon} />
      </Card>
      <Card id="orders" title={copy.latest}>
        {latest.length === 0 ? <p className="mt-2 text-quiet text-sm">{copy.noOrders}</p> : null}
        <ul className="mt-2 text-sm">
          {latest.map(({ resource, record }) => (
            <LatestRecord
              key={`${resource} ${record.id}`}
              name={resource}
              record={record}
              timeZone={timeZone}
              what={[resources[resource].label.one, record.customerEmail].filter(Boolean).join(' · ')}
            />
          ))}
        </ul>
      </Card>
    </>
  )
}

/** How often the coupon was redeemed, of how often it can be. */
function Uses({ timesRedeemed: used, maxRedemptions: limit }: Coupon) {
  if (limit === undefined) return <p className="mt-3 text-quiet text-sm">{copy.used(used)}</p>
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100)
  return (
    <div className="mt-3 text-sm">
      <div className="flex justify-between gap-4 text-quiet">
        <span>{copy.usedOf(used, limit)}</span>
        <span className="tabular-nums">{copy.left(Math.max(0, limit - used))}</span>
      </div>
      <div aria-hidden className="mt-1 h-2 overflow-hidden rounded-full bg-idle-soft">
        {/* The content security policy forbids a width in a style attribute. */}
        <svg width={`${percent}%`} height="8" className={percent >= 100 ? 'bg-bad' : 'bg-accent'} />
      </div>
    </div>
  )
}
