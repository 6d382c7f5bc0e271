/** The part of a customer's page with the latest orders and subscriptions, the total spent, and the coupons used. */
import { formatInstant, statusLabel, statusTone } from '@/app/_components/cells'
import { Link } from '@/app/_components/link'
import { Mark } from '@/app/_components/mark'
import { StatusBadge } from '@/app/_components/status-badge'
import { customerCopy } from '@/app/copy/customer'
import { formatCount } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { recordCopy } from '@/app/copy/record'
import { resources } from '@/lib/catalog'
import { MAX_SEARCH } from '@/lib/catalog/list-params'
import { formatMoney } from '@/lib/core/money'
import {
  CUSTOMER_RESOURCES,
  type CustomerRecords,
  type CustomerResource,
  findCustomerOrders,
  type UsedCoupon,
} from '@/lib/listing/customer-orders'
import { Card, Figures } from './sections'

type Props = { sellerId: string; customer: { id: string; email: string }; timeZone: string }

/** Formats the total that a customer has paid, per currency. */
export function formatTotals(lists: Record<CustomerResource, CustomerRecords>): string {
  const totals = new Map<string, number>()
  for (const { currency, amount } of CUSTOMER_RESOURCES.flatMap((name) => lists[name].paid)) {
    totals.set(currency, (totals.get(currency) ?? 0) + amount)
  }
  return [...totals].map(([currency, amount]) => formatMoney(amount, currency || undefined)).join(' · ') || customerCopy.nothing
}

export async function CustomerOrders({ sellerId, customer, timeZone }: Props) {
  const { lists, coupons } = await findCustomerOrders(sellerId, customer)
  const { payments, bookings, subscriptions } = lists
  const totals = [
    { label: recordCopy.lifetime, text: formatTotals(lists), hint: customerCopy.spentHint },
    { label: customerCopy.totals.orders, text: formatCount(payments.count + bookings.count) },
    { label: customerCopy.totals.active, text: formatCount(subscriptions.active) },
  ]
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Figures className="rounded-lg border border-line bg-card p-4 sm:col-span-2" figures={totals} />
      {CUSTOMER_RESOURCES.map((name) => (
        <ListCard key={name} name={name} records={lists[name]} timeZone={timeZone} />
      ))}
      <CouponCard coupons={coupons} />
    </div>
  )
}

function ListCard({ name, records, timeZone }: { name: CustomerResource; records: CustomerRecords; timeZone: string }) {
  const { count, active, paid, latest, email } = records
  // The link searches for the records' email address, which may differ from the customer's current one.
  const allHref = email !== undefined && [...email].length <= MAX_SEARCH ? `/${name}?search=${encodeURIComponent(email)}` : undefined
  return (
    <section aria-labelledby={name} className="min-w-0 rounded-lg border border-line bg-card p-4">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 id={name} className="font-medium">
          {resources[name].label.many}
        </h2>
        <span className="text-quiet text-sm">
          {count === 0 ? customerCopy.nothing : customerCopy.counts[name](count)}
          {active > 0 && name === 'subscriptions' ? `, ${customerCopy.active(active)}` : ''}
        </span>
        {paid.length > 0 ? (
          <span title={customerCopy.spentHint} className="ml-auto text-sm tabular-nums">
            <span className="text-quiet">{customerCopy.spent} </span>
            {paid.map(({ currency, amount }) => formatMoney(amount, currency || undefined)).join(' · ')}
          </span>
        ) : null}
      </div>
      <ul className="mt-2 text-sm">
        {latest.map((text) => (
          <LatestRecord key={text} name={name} record={JSON.parse(text) as Record<string, unknown>} timeZone={timeZone} />
        ))}
      </ul>
      {count > latest.length && allHref ? (
        <Link href={allHref} className="mt-2 inline-block text-accent text-sm underline-offset-4 hover:underline">
          {customerCopy.all(resources[name].label.many.toLowerCase())}
        </Link>
      ) : null}
    </section>
  )
}

type LatestProps = {
  name: CustomerResource
  record: Record<string, unknown>
  timeZone: string
  /** Text after the order number, such as the type of the record. */
  detail?: string
}

/** A list item with a link to an order or subscription. */
export function LatestRecord({ name, record, timeZone, detail }: LatestProps) {
  const { id, orderId, status, amount, currency, createdAt, livemode } = record
  return (
    <li className="@container border-line border-t py-1.5 first:border-t-0">
      {/* In a narrow card, the amount and the status wrap onto a second line in every row. */}
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Link
          href={`/${name}/${id}`}
          dir="auto"
          className="wrap-anywhere min-w-0 font-mono text-[0.8125rem] text-accent underline-offset-4 hover:underline"
        >
          {String(orderId || id)}
        </Link>
        {detail ? <span className="text-quiet">{detail}</span> : null}
        {livemode === false ? <Mark text={listCopy.test} /> : null}
        <time dateTime={String(createdAt)} title={String(createdAt)} className="text-quiet tabular-nums">
          {formatInstant(String(createdAt), timeZone)}
        </time>
        <span className="ml-auto flex items-baseline justify-end gap-x-3 tabular-nums @max-md:basis-full">
          {typeof amount === 'number' ? formatMoney(amount, typeof currency === 'string' ? currency : undefined) : null}
          {typeof status === 'string' ? <StatusBadge tone={statusTone(status)}>{statusLabel(status)}</StatusBadge> : null}
        </span>
      </div>
    </li>
  )
}

function CouponCard({ coupons }: { coupons: UsedCoupon[] }) {
  return (
    <Card id="coupons" title={customerCopy.coupons}>
      {coupons.length === 0 ? <p className="mt-2 text-quiet text-sm">{customerCopy.nothing}</p> : null}
      <ul className="mt-2 text-sm">
        {coupons.map(({ id, code, label, uses }) => (
          <li key={`${id ?? ''} ${code}`} className="flex flex-wrap items-baseline gap-x-3 border-line border-t py-1.5 first:border-t-0">
            <Link
              href={id ? `/coupons/${id}` : `/coupons?search=${encodeURIComponent(code)}`}
              dir="auto"
              className="wrap-anywhere min-w-0 font-mono text-[0.8125rem] text-accent underline-offset-4 hover:underline"
            >
              {code}
            </Link>
            <span dir="auto" className="wrap-anywhere min-w-0">
              {label}
            </span>
            <span className="ml-auto text-quiet">{customerCopy.couponUses(uses)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
