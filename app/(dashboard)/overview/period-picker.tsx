/** The controls for the period, the comparison and the currency. They are links and a form, so that they work without JavaScript. */
import { Link } from '@/app/_components/link'
import { formatDays } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import { type DateRange, MAX_DAYS, type Period } from '@/lib/reports/date-range'
import { DEFAULT_DAYS, PARAM_NAMES, PRESET_DAYS, type View, viewLink, viewParams } from './view'

const CHOICE_CLASSES =
  'flex min-h-8 items-center whitespace-nowrap rounded-md px-2.5 text-quiet text-sm hover:text-ink aria-[current]:bg-hover aria-[current]:font-medium aria-[current]:text-ink max-lg:min-h-11'

const PERIODS: Period[] = [...PRESET_DAYS, 'this-month', 'last-month']

type Props = {
  view: View
  range: DateRange
  /** The currencies with sales, and undefined if there are sales without a currency. */
  currencies: (string | undefined)[]
  /** The currency of the sales shown. */
  selectedCurrency: string | undefined
}

export function PeriodPicker({ view, range, currencies, selectedCurrency }: Props) {
  const { dates, span } = range
  const [from, to] = [String(dates[span]), String(dates.at(-1))]
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3 py-2">
      <div className="flex min-w-0 max-w-full items-center">
        <nav aria-label={overviewCopy.span} className="flex min-w-0 overflow-x-auto">
          {PERIODS.map((period) => (
            <Link
              key={String(period)}
              {...viewLink(view, { period })}
              scroll={false}
              aria-current={period === view.period ? 'true' : undefined}
              className={CHOICE_CLASSES}
            >
              {overviewCopy.periods[period as keyof typeof overviewCopy.periods]}
            </Link>
          ))}
        </nav>
        <CustomPeriod view={view} from={from} to={to} today={range.today.date} />
      </div>
      {currencies.length > 1 ? (
        <nav aria-label={overviewCopy.currency} className="flex rounded-lg border border-line p-0.5 sm:ml-auto">
          {currencies.map((currency) => (
            <Link
              key={currency ?? ''}
              {...viewLink(view, { currency: currency ?? NO_CURRENCY })}
              scroll={false}
              aria-current={currency === selectedCurrency ? 'true' : undefined}
              className={CHOICE_CLASSES}
            >
              {currency ?? overviewCopy.noCurrency}
            </Link>
          ))}
        </nav>
      ) : null}
      <p className="flex w-full flex-wrap items-center gap-x-3 px-2.5 text-quiet text-sm">
        <span>{overviewCopy.period(formatDays(from, to), view.isCompared ? span : undefined)}</span>
        <Link
          {...viewLink(view, { isCompared: !view.isCompared })}
          scroll={false}
          className="py-1 text-accent underline-offset-4 hover:underline max-lg:py-2.5"
        >
          {view.isCompared ? overviewCopy.hideComparison : overviewCopy.compare}
        </Link>
      </p>
    </div>
  )
}

/** The form for a custom period. Its dates are formatted as `YYYY-MM-DD`. */
function CustomPeriod({ view, from, to, today }: { view: View; from: string; to: string; today: string }) {
  // The default period has no parameters.
  const others = viewParams({ ...view, period: DEFAULT_DAYS })
  const field = (name: string, label: string, value: string) => (
    <label className="flex items-center justify-between gap-3">
      {label}
      {/* The key resets the field when another period is shown. */}
      <input key={value} type="date" name={name} defaultValue={value} min="2000-01-01" max={today} required className="field" />
    </label>
  )
  return (
    <>
      <button
        type="button"
        popoverTarget="custom-period"
        aria-current={typeof view.period === 'object' ? 'true' : undefined}
        className={CHOICE_CLASSES}
      >
        {overviewCopy.custom}
      </button>
      <div
        id="custom-period"
        popover="auto"
        className="beside-button w-72 rounded-xl border border-line bg-card p-4 text-ink text-sm shadow-xl"
      >
        <form action="/overview" data-params={PARAM_NAMES.period} className="flex flex-col gap-3">
          {Object.entries(others).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          {field('from', overviewCopy.from, from)}
          {field('to', overviewCopy.to, to)}
          <p className="text-quiet">{overviewCopy.maxDays(MAX_DAYS)}</p>
          <button type="submit" className="button-primary">
            {overviewCopy.apply}
          </button>
        </form>
      </div>
    </>
  )
}
