/** The overview: today's metrics, a period compared with the previous one, and what needs attention. */
import type { Metadata } from 'next'
import { DocumentBoundary } from '@/app/_components/document-boundary'
import { overviewCopy } from '@/app/copy/overview'
import { isNavigation } from '@/app/is-navigation'
import type { SearchParams } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import type { SessionUser } from '@/lib/accounts/sessions'
import { countFailures, isEmptyShop } from '@/lib/reports/attention'
import { loadTodayCheckIns } from '@/lib/reports/check-ins'
import { type DateRange, getBars, loadDateRange } from '@/lib/reports/date-range'
import { countFailureReasons } from '@/lib/reports/failure-reasons'
import { type CurrencySales, loadSales, loadTodaySales } from '@/lib/reports/sales'
import { loadSubscriptions } from '@/lib/reports/subscriptions'
import { Attention } from './attention'
import { CheckInSummary } from './check-in-summary'
import { FailureReasons } from './failure-reasons'
import { FirstRun } from './first-run'
import { PeriodPicker } from './period-picker'
import { RevenueChart } from './revenue-chart'
import { Subscriptions } from './subscriptions'
import { Tiles } from './tiles'
import { TopPages } from './top-pages'
import { chooseTodayCurrency, isSelectedCurrency, parseView, type View, viewHref } from './view'

export const metadata: Metadata = { title: overviewCopy.title }

export default async function OverviewPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const view = parseView(await searchParams)
  // Check access before streaming starts, so that a denied request can still get a 403 or a redirect.
  const user = await requireUser('records', viewHref(view))
  return (
    <main className="mx-auto max-w-[82rem] px-4 py-5 lg:px-6">
      <h1 className="font-semibold text-xl tracking-tight">{overviewCopy.title}</h1>
      <DocumentBoundary fallback={(await isNavigation()) ? undefined : <OverviewSkeleton />}>
        <Overview user={user} view={view} />
      </DocumentBoundary>
    </main>
  )
}

/** A skeleton about as tall as the content, to reduce layout shift. */
function OverviewSkeleton() {
  return (
    <div aria-busy className="mt-4 flex animate-pulse flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 max-xl:[&>:first-child]:col-span-2 sm:grid-cols-3 xl:grid-cols-[1.4fr_repeat(4,1fr)]">
        {['revenue', 'orders', 'failed', 'past due', 'check-ins'].map((tile) => (
          <div key={tile} className="h-24 rounded-lg border border-line bg-card" />
        ))}
      </div>
      <div className="h-[30rem] rounded-lg border border-line bg-card" />
      <div className="h-72 rounded-lg border border-line bg-card" />
    </div>
  )
}

/** Returns the sales in the chosen currency, falling back to the one with the most orders. Without sales, returns zeros in `currency`. */
function chooseSales(sales: CurrencySales[], view: View, { span }: DateRange, currency: string | undefined): CurrencySales {
  const zeros = getBars(span).map(() => 0)
  const noSales = { revenue: 0, orders: 0, refunds: 0 }
  return (
    sales.find((candidate) => isSelectedCurrency(candidate.currency, view)) ??
    sales[0] ?? {
      currency,
      current: noSales,
      previous: noSales,
      revenue: zeros,
      revenueBefore: zeros,
      orders: zeros,
      bookings: zeros,
      pages: [],
    }
  )
}

/** Compares currencies by code, sorting undefined last, so that their order is the same in every period. */
const compareByCode = (a = '\uffff', b = '\uffff') => (a < b ? -1 : 1)

async function Overview({ user, view }: { user: SessionUser; view: View }) {
  const { sellerId, timeZone } = user
  const [isEmpty, range] = await Promise.all([isEmptyShop(sellerId), loadDateRange(timeZone, view.period)])
  if (isEmpty) return <FirstRun user={user} />
  const [sales, today, subscriptions, checkIns, failures, reasons, pages] = await Promise.all([
    loadSales(sellerId, range),
    loadTodaySales(sellerId, range),
    loadSubscriptions(sellerId, range),
    loadTodayCheckIns(sellerId, timeZone, range),
    countFailures(sellerId),
    countFailureReasons(sellerId, range),
    listCheckoutPages(sellerId),
  ])
  const names = toPageNames(pages)
  // If there are no sales, today's metrics use the currency of the subscriptions.
  const currency = chooseTodayCurrency(today, sales.length > 0 ? sales : subscriptions.mrr, view)
  const shownSales = chooseSales(sales, view, range, currency)
  const hasReasons = reasons.reasons.length > 0
  return (
    <div className="mt-4 flex flex-col gap-4">
      <Tiles
        today={today}
        date={range.today.date}
        currency={currency}
        failures={failures}
        pastDue={subscriptions.pastDue}
        checkedIn={checkIns.checkedIn}
        refused={checkIns.events.reduce((sum, { refused }) => sum + refused, 0)}
      />
      <section aria-labelledby="revenue" className="rounded-lg border border-line bg-card">
        <h2 id="revenue" className="sr-only">
          {`${overviewCopy.revenue} ${shownSales.currency ?? overviewCopy.noCurrency}`}
        </h2>
        <PeriodPicker
          view={view}
          range={range}
          currencies={sales.map(({ currency }) => currency).sort(compareByCode)}
          selectedCurrency={shownSales.currency}
        />
        <RevenueChart sales={shownSales} range={range} view={view} />
      </section>
      <div className={`grid gap-4 lg:grid-cols-2 ${hasReasons ? '' : 'xl:grid-cols-3'}`}>
        <Attention user={user} failures={failures} pastDue={subscriptions.pastDue} />
        {hasReasons ? <FailureReasons failures={reasons} view={view} range={range} /> : null}
        <TopPages sales={shownSales} names={names} range={range} />
        <Subscriptions report={subscriptions} />
      </div>
      {checkIns.events.length > 0 ? <CheckInSummary events={checkIns.events} date={range.today.date} names={names} /> : null}
      <p className="max-w-3xl text-quiet text-sm">{overviewCopy.hint}</p>
    </div>
  )
}
