/** Daily revenue as bars and the previous period as a line, in an SVG rendered on the server. The same data is available as a table. */
import Link from 'next/link'
import { formatDay } from '@/app/_components/cells'
import { overviewCopy } from '@/app/copy/overview'
import { formatMoney } from '@/lib/core/money'
import { RevenueTable } from './revenue-table'

/** Returns the days that get a tooltip. In longer periods, the bars are too thin. */
const hoverable = (days: string[]) => (days.length > 100 ? [] : days)

type Props = {
  currency: string | undefined
  /** The dates of `values`, as `YYYY-MM-DD`. */
  days: string[]
  /** Revenue of each day, in minor units. */
  values: number[]
  before: number[]
  /** Whether the table is shown. It is rendered only on demand, because a year's table is half a megabyte. */
  table: boolean
  /** The link that toggles the table. */
  tableHref: string
}

const HEIGHT = 100
const STEP = 10
const GAP = 2

/** Axis maxima, to be multiplied by a power of ten. Half of each is a round number too. */
const TOPS = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10]

function niceTop(highest: number): number {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return (TOPS.find((step) => step * power >= highest) ?? 10) * power
}

export function RevenueChart({ currency, days, values, before, table, tableHref }: Props) {
  const top = niceTop(Math.max(...values, ...before))
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT
  const gap = days.length > 100 ? 0 : GAP
  const line = before.map((value, at) => `${at * STEP + STEP / 2},${y(value).toFixed(2)}`).join(' ')
  // One path for all bars: React streams large numbers of SVG elements in hidden chunks with inline styles, which the content security policy blocks.
  const bars = values.map((value, at) => `M${at * STEP + gap / 2} ${HEIGHT}V${y(value).toFixed(2)}h${STEP - gap}V${HEIGHT}Z`).join('')
  const grid = [0, HEIGHT / 2, HEIGHT].map((at) => `M0 ${at}H${days.length * STEP}`).join('')
  const money = (value: number) => formatMoney(value, currency)
  const [first, middle, last] = [days[0], days[Math.floor(days.length / 2)], days.at(-1)]
  return (
    <figure className="m-0">
      <div className="grid grid-cols-[auto_1fr] gap-x-3">
        <div aria-hidden className="flex h-44 flex-col justify-between text-right text-quiet text-xs tabular-nums leading-none">
          <span>{money(top)}</span>
          <span>{money(top / 2)}</span>
          <span>{money(0)}</span>
        </div>
        <div className="relative">
          <svg
            role="img"
            aria-label={overviewCopy.chart(currency ?? overviewCopy.noCurrency, days.length)}
            viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="h-44 w-full overflow-visible"
          >
            <path d={grid} className="stroke-line" vectorEffect="non-scaling-stroke" />
            <path d={bars} className="fill-accent" />
            <polyline
              points={line}
              fill="none"
              className="stroke-quiet"
              strokeWidth={1.5}
              strokeDasharray="4 3"
              vectorEffect="non-scaling-stroke"
            />
          </svg>
          <div aria-hidden className="absolute inset-0 flex">
            {hoverable(days).map((day, at) => (
              <span key={day} title={`${formatDay(day)}: ${money(values[at] ?? 0)}`} className="grow hover:bg-ink/5" />
            ))}
          </div>
        </div>
        <div aria-hidden className="col-start-2 mt-1.5 flex justify-between text-quiet text-xs">
          {[first, middle, last].map((day) => (
            <span key={day}>{formatDay(String(day))}</span>
          ))}
        </div>
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-quiet text-xs">
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="size-2.5 rounded-[2px] bg-accent" />
          {overviewCopy.chartNow}
        </span>
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="w-4 border-quiet border-t-2 border-dashed" />
          {overviewCopy.chartBefore}
        </span>
      </figcaption>
      <Link
        href={tableHref}
        scroll={false}
        aria-expanded={table}
        className="mt-2 inline-block text-quiet text-sm underline-offset-4 hover:underline"
      >
        {table ? overviewCopy.hideTable : overviewCopy.asTable}
      </Link>
      {table ? <RevenueTable days={days} values={values} before={before} format={money} /> : null}
    </figure>
  )
}
