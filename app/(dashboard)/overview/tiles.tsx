/** Today in five figures, each a link to the records behind it. */
import { Link } from '@/app/_components/link'
import { formatCount } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { formatMoney } from '@/lib/core/money'
import type { Failures } from '@/lib/reports/attention'
import type { TodaySales } from '@/lib/reports/sales'
import { daysHref } from './view'

type TileProps = { href: string; label: string; value: string; hint?: string | undefined; isBad?: boolean }

const Tile = ({ href, label, value, hint, isBad = false }: TileProps) => (
  <Link href={href} className="flex h-24 min-w-0 flex-col rounded-lg border border-line bg-card px-4 py-3 hover:bg-hover">
    <span className="truncate text-quiet text-sm">{label}</span>
    <span className={`truncate font-semibold text-2xl tabular-nums tracking-tight ${isBad ? 'text-bad' : ''}`}>{value}</span>
    <span className="truncate text-quiet text-xs tabular-nums empty:hidden">{hint}</span>
  </Link>
)

type Props = {
  today: TodaySales[]
  /** Today, as `YYYY-MM-DD`. */
  date: string
  /** The currency of the revenue. Others are listed below it. */
  currency: string | undefined
  failures: Failures
  pastDue: number
  checkedIn: number
}

/** Returns the address of the failed orders of the last 24 hours. */
export const failuresHref = (list: 'payments' | 'bookings', { since }: Failures) =>
  `/${list}?${new URLSearchParams({ status: 'failed', 'created[gte]': since })}`

export function Tiles({ today, date, currency, failures, pastDue, checkedIn }: Props) {
  const copy = overviewCopy.tiles
  const main = today.find((one) => one.currency === currency)
  const others = today.filter((one) => one !== main && one.revenue > 0)
  const orders = today.reduce((sum, one) => sum + one.orders, 0)
  const bookings = today.reduce((sum, one) => sum + one.bookings, 0)
  const list = bookings > orders - bookings ? 'bookings' : 'payments'
  const failed = failures.payments + failures.bookings
  return (
    <nav
      aria-label={overviewCopy.today}
      className="grid grid-cols-2 gap-3 max-xl:[&>:first-child]:col-span-2 sm:grid-cols-3 xl:grid-cols-5"
    >
      <Tile
        href={daysHref(list, date, date)}
        label={copy.revenue}
        value={formatMoney(main?.revenue ?? 0, currency)}
        hint={others.map((one) => `+ ${formatMoney(one.revenue, one.currency)}`).join(' ')}
      />
      <Tile
        href={daysHref(list, date, date)}
        label={copy.orders}
        value={formatCount(orders)}
        hint={bookings > 0 && bookings < orders ? copy.kinds(orders - bookings, bookings) : undefined}
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
      <Tile href="/tickets?checkedIn=today" label={copy.checkedIn} value={formatCount(checkedIn)} />
    </nav>
  )
}
