/** The overview: orders and revenue compared with the previous period, and check-in today. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { Suspense } from 'react'
import { formatDays } from '@/app/_components/cells'
import { Notice } from '@/app/_components/notice'
import { overviewCopy } from '@/app/copy/overview'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listPages } from '@/lib/accounts/pages'
import type { SessionUser } from '@/lib/accounts/sessions'
import { formatMoney } from '@/lib/core/money'
import { type DoorToday, loadDoorToday } from '@/lib/reports/check-ins'
import { type Days, isSpan, loadDays, SPANS, type Span } from '@/lib/reports/days'
import { type CurrencySales, loadSales } from '@/lib/reports/sales'
import { countSubscriptions } from '@/lib/reports/subscriptions'
import { Figure } from './figure'
import { RevenueChart } from './revenue-chart'

type Props = { searchParams: Promise<{ days?: string | string[]; table?: string | string[] }> }
type Names = ReadonlyMap<string, string>

export const metadata: Metadata = { title: `${overviewCopy.title} · ${shopCopy.name}` }

/** The `table` parameter of orders without a currency. */
const NO_CURRENCY = 'none'

const addressOf = (span: Span, table?: string) => {
  const query = new URLSearchParams({ ...(span === SPANS[0] ? {} : { days: String(span) }), ...(table ? { table } : {}) }).toString()
  return query ? `/overview?${query}` : '/overview'
}

const spanOf = (given: string | string[] | undefined): Span => {
  const days = Number(given)
  return isSpan(days) ? days : SPANS[0]
}

export default async function OverviewPage({ searchParams }: Props) {
  const { days, table } = await searchParams
  const span = spanOf(days)
  // Checked before the response starts, so that a denied request gets its status.
  const user = await requireUser('records', addressOf(span))
  return (
    <main className="mx-auto max-w-7xl px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="font-semibold text-xl tracking-tight">{overviewCopy.title}</h1>
        <nav aria-label={overviewCopy.span} className="flex rounded-lg border border-line bg-card p-0.5 text-sm">
          {SPANS.map((choice) => (
            <Link
              key={choice}
              href={addressOf(choice)}
              aria-current={choice === span ? 'true' : undefined}
              className="rounded-md px-3 py-1 text-quiet hover:text-ink aria-[current]:bg-hover aria-[current]:font-medium aria-[current]:text-ink"
            >
              {overviewCopy.spans[choice]}
            </Link>
          ))}
        </nav>
      </div>
      <Suspense key={span} fallback={<OverviewSkeleton />}>
        <Overview user={user} span={span} table={table} />
      </Suspense>
    </main>
  )
}

/** As high as the content, to avoid layout shift. */
function OverviewSkeleton() {
  return (
    <div aria-busy className="mt-9 flex flex-col gap-4">
      <div className="h-32 animate-pulse rounded-lg border border-line bg-card" />
      <div className="h-24 animate-pulse rounded-lg border border-line bg-card" />
      <div className="h-96 animate-pulse rounded-lg border border-line bg-card" />
    </div>
  )
}

async function Overview({ user, span, table }: { user: SessionUser; span: Span; table: string | string[] | undefined }) {
  const { sellerId, timeZone } = user
  const days = await loadDays(timeZone, span)
  const [sales, subscriptions, door, pages] = await Promise.all([
    loadSales(sellerId, days),
    countSubscriptions(sellerId, days),
    loadDoorToday(sellerId, days),
    listPages(sellerId),
  ])
  const names: Names = new Map(pages.map(({ id, name }) => [id, name]))
  const sum = (when: 'now' | 'before', what: 'orders' | 'refunds') => sales.reduce((total, one) => total + one[when][what], 0)
  const [from, to] = [days.days[span], days.days.at(-1)]
  return (
    <>
      <p className="mt-1 text-quiet text-sm">{overviewCopy.period(formatDays(String(from), String(to)), span)}</p>
      <dl className="mt-4 grid gap-5 rounded-lg border border-line bg-card p-5 sm:grid-cols-3">
        <Figure label={overviewCopy.orders} value={sum('now', 'orders')} before={sum('before', 'orders')} />
        <Figure label={overviewCopy.refunds} value={sum('now', 'refunds')} before={sum('before', 'refunds')} />
        <Figure
          label={overviewCopy.subscriptions}
          value={subscriptions.active}
          before={subscriptions.before}
          describeBefore={overviewCopy.subscriptionsBefore}
        />
      </dl>
      <Door events={door} names={names} />
      {sales.length === 0 ? <Notice title={overviewCopy.nothing} hint={overviewCopy.nothingHint} /> : null}
      {sales.map((one) => (
        <Currency key={one.currency ?? ''} sales={one} days={days} names={names} table={table === (one.currency ?? NO_CURRENCY)} />
      ))}
      <p className="mt-4 max-w-3xl text-quiet text-sm">{overviewCopy.hint}</p>
    </>
  )
}

function Door({ events, names }: { events: DoorToday[]; names: Names }) {
  return (
    <section aria-labelledby="door" className="mt-4 rounded-lg border border-line bg-card p-5">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="door" className="font-medium">
          {overviewCopy.door}
        </h2>
        <a href="/door" className="text-accent text-sm underline-offset-4 hover:underline">
          {overviewCopy.doorOpen}
        </a>
      </div>
      {events.length === 0 ? <p className="mt-1 text-quiet text-sm">{overviewCopy.doorNone}</p> : null}
      <ul className="mt-1 text-sm tabular-nums empty:hidden">
        {events.map(({ pageId, admitted, refused, inside, sold }) => (
          <li key={pageId ?? ''} className="grid gap-x-6 border-line border-t py-2 first:border-t-0 sm:grid-cols-[1fr_auto_auto_auto]">
            <span className="truncate font-medium">{pageId ? (names.get(pageId) ?? pageId) : overviewCopy.doorPageless}</span>
            <span>{overviewCopy.doorAdmitted(admitted)}</span>
            <span className="text-quiet">{overviewCopy.doorRefused(refused)}</span>
            <span className="text-quiet">{overviewCopy.doorInside(inside, sold)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Currency({ sales, days, names, table }: { sales: CurrencySales; days: Days; names: Names; table: boolean }) {
  const { currency, now, before, pages } = sales
  const label = currency ?? overviewCopy.noCurrency
  const id = `revenue-${currency ?? NO_CURRENCY}`
  const money = (value: number) => formatMoney(value, currency)
  return (
    <section aria-labelledby={id} className="mt-4 rounded-lg border border-line bg-card p-5">
      <h2 id={id} className="sr-only">
        {`${overviewCopy.revenue} ${label}`}
      </h2>
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[1fr_18rem]">
        <div className="min-w-0">
          <dl className="mb-4">
            <Figure label={`${overviewCopy.revenue} · ${label}`} value={now.revenue} before={before.revenue} format={money} />
          </dl>
          <RevenueChart
            currency={currency}
            days={days.days.slice(days.span)}
            values={sales.days}
            before={sales.daysBefore}
            table={table}
            tableHref={addressOf(days.span, table ? undefined : (currency ?? NO_CURRENCY))}
          />
        </div>
        <div className="min-w-0">
          <h3 className="font-medium text-sm">{overviewCopy.topPages}</h3>
          {pages.length === 0 ? <p className="mt-1 text-quiet text-sm">{overviewCopy.noPages}</p> : null}
          <ol className="mt-2 text-sm tabular-nums">
            {pages.map(({ id: page, list, revenue, orders }) => (
              <li key={page} className="border-line border-t py-2 first:border-t-0">
                <span className="flex justify-between gap-4">
                  <Link href={`/${list}?pageId=${page}`} className="truncate underline-offset-4 hover:underline">
                    {names.get(page) ?? page}
                  </Link>
                  <span className="whitespace-nowrap">{money(revenue)}</span>
                </span>
                <span className="text-quiet">{overviewCopy.pageOrders(orders)}</span>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </section>
  )
}
