/** Five key metrics, such as today's revenue, each with links to the records it counts. */
import { Fragment } from 'react'
import { Link } from '@/app/_components/link'
import { formatCount, formatPlural } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { formatMoney } from '@/lib/core/money'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import type { FailureCounts } from '@/lib/reports/attention'
import type { TodaySales } from '@/lib/reports/sales'
import { daysHref, refusedHref } from './view'

/** A part of a metric, with a link to the records it counts. */
type Part = { href: string; text: string }

type TileProps = {
  href?: string | undefined
  label: string
  value: string
  /** Text below the value. */
  hint?: string | undefined
  /** Whether the value is shown in red. */
  isBad?: boolean
  parts?: Part[]
}

/** Shows a metric. Its link covers the tile, except for the links of its parts. If the parts add up to the metric, `href` is undefined. */
function Tile({ href, label, value, hint, isBad = false, parts = [] }: TileProps) {
  const content = (
    <>
      <span className="truncate text-quiet text-sm">{label}</span>
      <span className={`truncate font-semibold text-2xl tabular-nums tracking-tight ${isBad ? 'text-bad' : ''}`}>{value}</span>
      <span className="text-quiet text-xs tabular-nums empty:hidden">{parts.length > 0 ? null : hint}</span>
    </>
  )
  return (
    <div
      className={`relative flex min-h-24 min-w-0 flex-col rounded-lg border border-line bg-card px-4 py-3 ${href ? 'hover:bg-hover' : ''}`}
    >
      {href ? (
        <Link href={href} className="flex min-w-0 flex-col after:absolute after:inset-0">
          {content}
        </Link>
      ) : (
        <div className="flex min-w-0 flex-col">{content}</div>
      )}
      {parts.length > 0 ? (
        // On phones, the parts may wrap. The separators are hidden there, because a line could end with one.
        <span className="text-quiet text-xs tabular-nums max-sm:flex max-sm:flex-wrap max-sm:gap-x-3">
          {parts.map(({ href: part, text }, index) => (
            <Fragment key={part}>
              {index > 0 ? <span className="max-sm:hidden"> · </span> : null}
              <Link href={part} className="relative whitespace-nowrap py-1 text-accent underline-offset-4 hover:underline">
                {text}
              </Link>
            </Fragment>
          ))}
          {hint ? <span className="block max-sm:basis-full">{hint}</span> : null}
        </span>
      ) : null}
    </div>
  )
}

type Props = {
  today: TodaySales[]
  /** Today, as `YYYY-MM-DD`. */
  date: string
  /** The currency of the revenue. Revenue in other currencies is listed below it. */
  currency: string | undefined
  failures: FailureCounts
  /** The number of past-due subscriptions. */
  pastDue: number
  /** The number of tickets checked in today. */
  checkedIn: number
  /** The number of scans refused today. */
  refused: number
}

/** Returns the URL of the list of failed orders created in the last 24 hours. */
export const failuresHref = (list: 'payments' | 'bookings', { since }: FailureCounts) =>
  `/${list}?${new URLSearchParams({ status: 'failed', 'created[gte]': since })}`

export function Tiles({ today, date, currency, failures, pastDue, checkedIn, refused }: Props) {
  const copy = overviewCopy.tiles
  const mainSales = today.find((sales) => sales.currency === currency)
  const otherSales = today.filter((sales) => sales !== mainSales && sales.revenue > 0)
  const otherRevenue = otherSales.map((sales) => formatMoney(sales.revenue, sales.currency)).join(' · ')
  const orders = today.reduce((sum, sales) => sum + sales.orders, 0)
  const bookings = today.reduce((sum, sales) => sum + sales.bookings, 0)
  const payments = orders - bookings
  const ordersList = bookings > payments ? 'bookings' : 'payments'
  // Payments and bookings are separate lists, so a metric that counts both has a part for each.
  const hasBothLists = payments > 0 && bookings > 0
  const isSplit = mainSales !== undefined && mainSales.bookings > 0 && mainSales.bookings < mainSales.orders
  const toRevenueHref = (part: 'payments' | 'bookings') => daysHref(part, date, date, currency ?? NO_CURRENCY)
  const revenueList = mainSales !== undefined && mainSales.bookings > 0 ? 'bookings' : 'payments'
  const hasOtherCurrencies = today.some((sales) => sales !== mainSales)
  const failed = failures.payments + failures.bookings
  return (
    <section
      aria-label={overviewCopy.today}
      className="grid grid-cols-2 gap-3 max-xl:[&>:first-child]:col-span-2 sm:grid-cols-3 xl:grid-cols-[1.4fr_repeat(4,1fr)]"
    >
      <Tile
        href={isSplit ? undefined : daysHref(revenueList, date, date, hasOtherCurrencies ? (currency ?? NO_CURRENCY) : undefined)}
        label={copy.revenue}
        value={formatMoney(mainSales?.revenue ?? 0, currency)}
        hint={otherRevenue ? copy.otherCurrencies(otherRevenue) : undefined}
        parts={
          isSplit
            ? [
                {
                  href: toRevenueHref('payments'),
                  text: copy.ofPayments(formatMoney(mainSales.revenue - mainSales.bookingRevenue, currency)),
                },
                { href: toRevenueHref('bookings'), text: copy.ofBookings(formatMoney(mainSales.bookingRevenue, currency)) },
              ]
            : []
        }
      />
      <Tile
        href={hasBothLists ? undefined : daysHref(ordersList, date, date)}
        label={copy.orders}
        value={formatCount(orders)}
        hint={today.length > 1 ? copy.allCurrencies : undefined}
        parts={
          hasBothLists
            ? [
                { href: daysHref('payments', date, date), text: formatPlural(payments, 'payment') },
                { href: daysHref('bookings', date, date), text: formatPlural(bookings, 'booking') },
              ]
            : []
        }
      />
      <Tile
        href={
          failures.payments > 0 && failures.bookings > 0
            ? '#attention'
            : failuresHref(failures.bookings > 0 ? 'bookings' : 'payments', failures)
        }
        label={copy.failed}
        value={formatCount(failed)}
        hint={copy.lastDay}
        isBad={failed > 0}
      />
      <Tile
        href="/subscriptions?status=past_due"
        label={copy.pastDue}
        value={formatCount(pastDue)}
        hint={copy.pastDueHint}
        isBad={pastDue > 0}
      />
      <Tile
        href="/tickets?checkedIn=today"
        label={copy.checkedIn}
        value={formatCount(checkedIn)}
        parts={refused > 0 ? [{ href: refusedHref(date), text: copy.refused(refused) }] : []}
      />
    </section>
  )
}
