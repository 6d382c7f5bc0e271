/**
 * Shows revenue as bars and the previous period as a line. The same data is available as a table. No chart library is used, because it
 * would add scripts to the page and need inline styles, which the content security policy blocks.
 */
import { Link } from '@/app/_components/link'
import { formatDay, formatPlural } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { formatMoney } from '@/lib/core/money'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import type { DateRange } from '@/lib/reports/date-range'
import type { CurrencySales } from '@/lib/reports/sales'
import { getAxisMaximum, toBuckets } from './buckets'
import { ChartDrawing } from './chart-drawing'
import { ChartPointer } from './chart-pointer'
import { RevenueTable } from './revenue-table'
import { Stat } from './stat'
import { daysHref, type View, viewLink } from './view'

type Props = { sales: CurrencySales; range: DateRange; view: View }

export function RevenueChart({ sales, range, view }: Props) {
  const { currency, current, previous } = sales
  const { isCompared, isTable } = view
  const buckets = toBuckets(sales, range)
  const highest = Math.max(...buckets.map(({ revenue, before }) => (isCompared ? Math.max(revenue, before) : revenue)))
  const axisMaximum = getAxisMaximum(highest)
  const money = (value: number) => formatMoney(value, currency)
  const label = currency ?? overviewCopy.noCurrency
  const isWeekly = buckets.length < range.span
  const points = buckets.map(({ first, last, list, label: days, revenue, orders, before, isPartial }) => ({
    title: isPartial ? overviewCopy.soFar(days) : days,
    detail: [money(revenue), formatPlural(orders, 'order'), ...(isCompared ? [overviewCopy.beforeShort(money(before))] : [])].join(' · '),
    href: daysHref(list, first, last, currency ?? NO_CURRENCY),
  }))
  const labeledBuckets = [...new Set([buckets[0], buckets[Math.floor(buckets.length / 2)], buckets.at(-1)])]
  return (
    <div className="p-5">
      <dl className="mb-5 flex flex-wrap gap-x-10 gap-y-3">
        <Stat
          label={`${overviewCopy.revenue} · ${label}`}
          value={current.revenue}
          before={isCompared ? previous.revenue : undefined}
          format={money}
        />
        <Stat label={`${overviewCopy.orders} · ${label}`} value={current.orders} before={isCompared ? previous.orders : undefined} />
        <Stat label={`${overviewCopy.refunds} · ${label}`} value={current.refunds} before={isCompared ? previous.refunds : undefined} />
      </dl>
      <figure className="m-0">
        <div className="grid grid-cols-[auto_1fr] gap-x-3">
          <div aria-hidden className="flex h-65 flex-col justify-between text-right text-quiet text-xs tabular-nums leading-none">
            {/* Without revenue, the scale is arbitrary, so only zero is labeled. */}
            <span>{highest > 0 ? money(axisMaximum) : null}</span>
            <span>{highest > 0 ? money(axisMaximum / 2) : null}</span>
            <span>{money(0)}</span>
          </div>
          <ChartPointer label={overviewCopy.chart(label, isWeekly)} points={points} copy={overviewCopy.pointer}>
            <ChartDrawing
              bars={buckets.map(({ revenue, before, isPartial }) => ({ revenue, before, isPartial }))}
              axisMaximum={axisMaximum}
              isCompared={isCompared}
            />
          </ChartPointer>
          <div aria-hidden className="col-start-2 mt-1.5 flex justify-between text-quiet text-xs">
            {labeledBuckets.map((bucket) => (bucket ? <span key={bucket.first}>{formatDay(bucket.first)}</span> : null))}
          </div>
        </div>
        <figcaption className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-quiet text-xs">
          <span className="flex items-center gap-1.5">
            <span aria-hidden className="size-2.5 rounded-[2px] bg-accent" />
            {overviewCopy.chartNow}
          </span>
          {isCompared ? (
            <span className="flex items-center gap-1.5">
              <span aria-hidden className="w-4 border-quiet border-t-2 border-dashed" />
              {overviewCopy.chartBefore}
            </span>
          ) : null}
          <Link
            {...viewLink(view, { isTable: !isTable })}
            scroll={false}
            aria-expanded={isTable}
            className="ml-auto py-1 text-sm underline-offset-4 hover:underline max-lg:py-2.5"
          >
            {isTable ? overviewCopy.hideTable : overviewCopy.asTable}
          </Link>
        </figcaption>
        {isTable ? <RevenueTable buckets={buckets} currency={currency} isCompared={isCompared} format={money} /> : null}
      </figure>
    </div>
  )
}
