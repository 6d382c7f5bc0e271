/** The cards with a coupon's sales (revenue, discount given, orders and uses) and its latest orders. */
import { Suspense } from 'react'
import { couponSalesCopy as copy } from '@/app/copy/coupon-sales'
import { recordCopy } from '@/app/copy/record'
import { resources } from '@/lib/catalog'
import { readCouponOrders, readCouponSales } from '@/lib/reports/coupon-sales'
import { ifAvailable } from '@/lib/reports/report-throttle'
import { makeCouponFigures } from './coupon-figures'
import { LatestRecord } from './customer-orders'
import { Card, Figures } from './sections'

type Coupon = { id: string; code: string; timesRedeemed: number; maxRedemptions?: number | undefined }
type Props = { sellerId: string; coupon: Coupon; timeZone: string }

export function CouponCards(props: Props) {
  const loading = <p className="mt-2 min-h-12 text-quiet text-sm">{recordCopy.loading}</p>
  return (
    <>
      <Card id="sales" title={copy.title}>
        <Suspense fallback={loading}>
          <Sales {...props} />
        </Suspense>
        <Redemptions {...props.coupon} />
      </Card>
      <Card id="orders" title={copy.latest}>
        <Suspense fallback={loading}>
          <LatestOrders {...props} />
        </Suspense>
      </Card>
    </>
  )
}

const Unavailable = () => <p className="mt-2 text-quiet text-sm">{copy.unavailable}</p>

async function Sales({ sellerId, coupon }: Props) {
  const sales = await ifAvailable(readCouponSales(sellerId, coupon))
  if (!sales) return <Unavailable />
  return <Figures className="mt-2" figures={makeCouponFigures(sales)} />
}

async function LatestOrders({ sellerId, coupon, timeZone }: Props) {
  const latest = await ifAvailable(readCouponOrders(sellerId, coupon))
  if (!latest) return <Unavailable />
  if (latest.length === 0) return <p className="mt-2 text-quiet text-sm">{copy.noOrders}</p>
  return (
    <ul className="mt-2 text-sm">
      {latest.map(({ resource, record }) => (
        <LatestRecord
          key={`${resource} ${record.id}`}
          name={resource}
          record={record}
          timeZone={timeZone}
          detail={[resources[resource].label.one, record.customerEmail].filter(Boolean).join(' · ')}
        />
      ))}
    </ul>
  )
}

/** Shows the number of redemptions and the limit. */
function Redemptions({ timesRedeemed: used, maxRedemptions: limit }: Coupon) {
  const hint = <p className="mt-1 text-quiet text-xs">{copy.usesHint}</p>
  if (limit === undefined)
    return (
      <div className="mt-3 text-quiet text-sm">
        <p>{copy.used(used)}</p>
        {hint}
      </div>
    )
  // A limit of 0 is used up from the start.
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100)
  return (
    <div className="mt-3 text-sm">
      <div className="flex justify-between gap-4 text-quiet">
        <span>{copy.usedOf(used, limit)}</span>
        <span className="tabular-nums">{copy.left(Math.max(0, limit - used))}</span>
      </div>
      <div aria-hidden className="mt-1 h-2 overflow-hidden rounded-full bg-neutral-soft">
        {/* An SVG, because the content security policy blocks a style attribute that sets the width. */}
        <svg width={`${percent}%`} height="8" className={percent >= 100 ? 'bg-bad' : 'bg-accent'} />
      </div>
      {hint}
    </div>
  )
}
