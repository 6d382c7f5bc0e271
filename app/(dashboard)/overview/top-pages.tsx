/** The products and events with the highest revenue in the period, and the total of all other orders. */
import { Link } from '@/app/_components/link'
import { formatPlural } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { formatMoney } from '@/lib/core/money'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import type { DateRange } from '@/lib/reports/date-range'
import { type CurrencySales, sumOtherSales } from '@/lib/reports/sales'
import { Card } from './card'
import { daysHref } from './view'

type Props = {
  sales: CurrencySales
  /** The names of products and events by ID. */
  names: ReadonlyMap<string, string>
  range: DateRange
}

export function TopPages({ sales, names, range: { dates, span } }: Props) {
  const { currency, pages } = sales
  const others = sumOtherSales(sales)
  const [from, to] = [String(dates[span]), String(dates.at(-1))]
  return (
    <Card id="top-pages" title={overviewCopy.topPages}>
      {pages.length === 0 && others.orders === 0 ? <p className="text-quiet text-sm">{overviewCopy.noPages}</p> : null}
      <ol className="text-sm tabular-nums">
        {pages.map(({ id, list, revenue, orders }) => (
          <li key={id} className="border-line border-t py-2 first:border-t-0">
            <span className="flex justify-between gap-4">
              <Link
                href={`${daysHref(list, from, to, currency ?? NO_CURRENCY)}&pageId=${id}`}
                className="truncate underline-offset-4 hover:underline"
              >
                {names.get(id) ?? id}
              </Link>
              <span className="whitespace-nowrap">{formatMoney(revenue, currency)}</span>
            </span>
            <span className="text-quiet">{formatPlural(orders, 'order')}</span>
          </li>
        ))}
      </ol>
      {others.orders > 0 ? (
        <p className={`py-2 text-sm tabular-nums ${pages.length > 0 ? 'border-line border-t' : ''}`}>
          <span className="flex justify-between gap-4">
            <span className="truncate">{overviewCopy.otherPages}</span>
            <span className="whitespace-nowrap">{formatMoney(others.revenue, currency)}</span>
          </span>
          <span className="text-quiet">{formatPlural(others.orders, 'order')}</span>
        </p>
      ) : null}
    </Card>
  )
}
