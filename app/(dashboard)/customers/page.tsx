/** Customer page, by email: the customer's orders, total spent, and coupons used. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { formatInstant, statusLabel, statusTone } from '@/app/_components/cells'
import { Notice } from '@/app/_components/notice'
import { StatusMark } from '@/app/_components/status-mark'
import { listCopy } from '@/app/copy/list'
import { customerCopy } from '@/app/copy/record'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { resources } from '@/lib/catalog'
import { isStorable } from '@/lib/catalog/ticket'
import { formatMoney } from '@/lib/core/money'
import { CUSTOMER_LISTS, type CustomerList, type CustomerRecords, findCustomer, type UsedCoupon } from '@/lib/listing/customer'

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> }

export const metadata: Metadata = { title: `${customerCopy.title} · ${shopCopy.name}` }

export default async function CustomerPage({ searchParams }: Props) {
  const { email: given } = await searchParams
  const email = String([given].flat()[0] ?? '')
  const user = await requireUser('records', `/customers?email=${encodeURIComponent(email)}`)
  const known = email !== '' && isStorable(email)
  const customer = known ? await findCustomer(user.sellerId, email) : undefined
  if (!customer || CUSTOMER_LISTS.every((name) => customer.lists[name].count === 0)) {
    return (
      <main>
        <Notice title={customerCopy.none} hint={customerCopy.noneHint}>
          <Link className="button" href="/payments">
            {resources.payments.label.many}
          </Link>
        </Notice>
      </main>
    )
  }
  return (
    <main className="mx-auto max-w-5xl px-4 py-5 sm:px-6">
      <p className="text-quiet text-sm">{customerCopy.title}</p>
      <h1 dir="auto" className="font-semibold text-xl tracking-tight [overflow-wrap:anywhere]">
        {email}
      </h1>
      <div className="mt-5 grid items-start gap-4 sm:grid-cols-2">
        {CUSTOMER_LISTS.map((name) => (
          <ListCard key={name} name={name} records={customer.lists[name]} email={email} timeZone={user.timeZone} />
        ))}
        <CouponCard coupons={customer.coupons} />
      </div>
    </main>
  )
}

function ListCard({ name, records, email, timeZone }: { name: CustomerList; records: CustomerRecords; email: string; timeZone: string }) {
  const { count, active, paid, latest } = records
  // The list's search accepts at most 200 characters.
  const all = [...email].length <= 200 ? `/${name}?search=${encodeURIComponent(email)}` : undefined
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
      {count > latest.length && all ? (
        <Link href={all} className="mt-2 inline-block text-accent text-sm underline-offset-4 hover:underline">
          {customerCopy.all(resources[name].label.many.toLowerCase())}
        </Link>
      ) : null}
    </section>
  )
}

function LatestRecord({ name, record, timeZone }: { name: CustomerList; record: Record<string, unknown>; timeZone: string }) {
  const { id, orderId, status, amount, currency, createdAt, livemode } = record
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 border-line border-t py-1.5 first:border-t-0">
      <Link
        href={`/${name}/${id}`}
        dir="auto"
        className="min-w-0 font-mono text-[0.8125rem] text-accent underline-offset-4 [overflow-wrap:anywhere] hover:underline"
      >
        {String(orderId || id)}
      </Link>
      {livemode === false ? <span className="rounded border border-line px-1 text-quiet text-xs">{listCopy.test}</span> : null}
      <time dateTime={String(createdAt)} title={String(createdAt)} className="text-quiet tabular-nums">
        {formatInstant(String(createdAt), timeZone)}
      </time>
      <span className="ml-auto tabular-nums">
        {typeof amount === 'number' ? formatMoney(amount, typeof currency === 'string' ? currency : undefined) : null}
      </span>
      {typeof status === 'string' ? <StatusMark tone={statusTone(status)}>{statusLabel(status)}</StatusMark> : null}
    </li>
  )
}

function CouponCard({ coupons }: { coupons: UsedCoupon[] }) {
  return (
    <section aria-labelledby="coupons" className="min-w-0 rounded-lg border border-line bg-card p-4">
      <h2 id="coupons" className="font-medium">
        {customerCopy.coupons}
      </h2>
      {coupons.length === 0 ? <p className="mt-2 text-quiet text-sm">{customerCopy.nothing}</p> : null}
      <ul className="mt-2 text-sm">
        {coupons.map(({ id, code, label, orders }) => (
          <li key={`${id ?? ''} ${code}`} className="flex flex-wrap items-baseline gap-x-3 border-line border-t py-1.5 first:border-t-0">
            <Link
              href={id ? `/coupons/${id}` : `/coupons?search=${encodeURIComponent(code)}`}
              dir="auto"
              className="min-w-0 font-mono text-[0.8125rem] text-accent underline-offset-4 [overflow-wrap:anywhere] hover:underline"
            >
              {code}
            </Link>
            <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
              {label}
            </span>
            <span className="ml-auto text-quiet">{customerCopy.orders(orders)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
