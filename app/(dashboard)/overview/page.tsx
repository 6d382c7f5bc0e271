/** The overview: orders and revenue compared with the previous period, and check-in today. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { Suspense } from 'react'
import { formatDays } from '@/app/_components/cells'
import { Notice } from '@/app/_components/notice'
import { overviewCopy } from '@/app/copy/overview'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import type { SessionUser } from '@/lib/accounts/sessions'
import { formatMoney } from '@/lib/core/money'
import { loadTodayCheckIns, type TodayCheckIns } from '@/lib/reports/check-ins'
import { type DateRange, isSpan, loadDateRange, SPANS, type Span } from '@/lib/reports/date-range'
import { type CurrencySales, loadSales } from '@/lib/reports/sales'
import { countSubscriptions } from '@/lib/reports/subscriptions'
import { RevenueChart } from './revenue-chart'
import { Stat } from './stat'

type Props = { searchParams: Promise<{ days?: string | string[]; table?: string | string[] }> }
type Names = ReadonlyMap<string, string>

export const metadata: Metadata = { title: `${overviewCopy.title} · ${shopCopy.name}` }

/** The value of the `table` query parameter for orders without a currency. */
const NO_CURRENCY = 'none'

const overviewHref = (span: Span, table?: string) => {
  const query = new URLSearchParams({ ...(span === SPANS[0] ? {} : { days: String(span) }), ...(table ? { table } : {}) }).toString()
  return query ? `/overview?${query}` : '/overview'
}

const parseSpan = (value: string | string[] | undefined): Span => {
  const days = Number(value)
  return isSpan(days) ? days : SPANS[0]
}

export default async function OverviewPage({ searchParams }: Props) {
  const { days, table } = await searchParams
  const span = parseSpan(days)
  // Check access before streaming starts, so that a denied request can still get a 403 or a redirect.
  const user = await requireUser('records', overviewHref(span))
  return (
    <main className="mx-auto max-w-7xl px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="font-semibold text-xl tracking-tight">{overviewCopy.title}</h1>
        <nav aria-label={overviewCopy.span} className="flex rounded-lg border border-line bg-card p-0.5 text-sm">
          {SPANS.map((choice) => (
            <Link
              key={choice}
              href={overviewHref(choice)}
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

/** Matches the content's height, to avoid layout shift. */
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
  const range = await loadDateRange(timeZone, span)
  const [sales, subscriptions, checkIns, pages] = await Promise.all([
    loadSales(sellerId, range),
    countSubscriptions(sellerId, range),
    loadTodayCheckIns(sellerId, range),
    listCheckoutPages(sellerId),
  ])
  const names: Names = new Map(pages.map(({ id, name }) => [id, name]))
  const sum = (period: 'current' | 'previous', metric: 'orders' | 'refunds') =>
    sales.reduce((total, currencySales) => total + currencySales[period][metric], 0)
  const [from, to] = [range.dates[span], range.dates.at(-1)]
  return (
    <>
      <p className="mt-1 text-quiet text-sm">{overviewCopy.period(formatDays(String(from), String(to)), span)}</p>
      <dl className="mt-4 grid gap-5 rounded-lg border border-line bg-card p-5 sm:grid-cols-3">
        <Stat label={overviewCopy.orders} value={sum('current', 'orders')} before={sum('previous', 'orders')} />
        <Stat label={overviewCopy.refunds} value={sum('current', 'refunds')} before={sum('previous', 'refunds')} />
        <Stat
          label={overviewCopy.subscriptions}
          value={subscriptions.active}
          before={subscriptions.before}
          describeBefore={overviewCopy.subscriptionsBefore}
        />
      </dl>
      <CheckInSummary events={checkIns} names={names} />
      {sales.length === 0 ? <Notice title={overviewCopy.nothing} hint={overviewCopy.nothingHint} /> : null}
      {sales.map((currencySales) => (
        <CurrencySection
          key={currencySales.currency ?? ''}
          sales={currencySales}
          range={range}
          names={names}
          table={table === (currencySales.currency ?? NO_CURRENCY)}
        />
      ))}
      <p className="mt-4 max-w-3xl text-quiet text-sm">{overviewCopy.hint}</p>
    </>
  )
}

function CheckInSummary({ events, names }: { events: TodayCheckIns[]; names: Names }) {
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
            <span className="truncate font-medium">{pageId ? (names.get(pageId) ?? pageId) : overviewCopy.noEvent}</span>
            <span>{overviewCopy.doorAdmitted(admitted)}</span>
            <span className="text-quiet">{overviewCopy.doorRefused(refused)}</span>
            <span className="text-quiet">{overviewCopy.doorInside(inside, sold)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function CurrencySection({ sales, range, names, table }: { sales: CurrencySales; range: DateRange; names: Names; table: boolean }) {
  const { currency, current, previous, pages } = sales
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
            <Stat label={`${overviewCopy.revenue} · ${label}`} value={current.revenue} before={previous.revenue} format={money} />
          </dl>
          <RevenueChart
            currency={currency}
            days={range.dates.slice(range.span)}
            values={sales.days}
            before={sales.daysBefore}
            table={table}
            tableHref={overviewHref(range.span, table ? undefined : (currency ?? NO_CURRENCY))}
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
