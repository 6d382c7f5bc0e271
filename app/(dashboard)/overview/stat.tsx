/** A metric on the overview, compared with an earlier value. */
import { formatCount } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'

type Props = {
  label: string
  value: number
  /** The value to compare with, such as that of the previous period. Undefined if none is shown. */
  before: number | undefined
  /** Formats the value. */
  format?: (value: number) => string
  /** Returns the text for the earlier value, given its formatted number. */
  describeBefore?: (formatted: string) => string
}

/** Larger increases are hidden, because they are harder to read than the two values. */
const MAX_PERCENT = 999

/** Returns the change as a whole percentage. Returns undefined if it exceeds `MAX_PERCENT`, or if the earlier value is not positive. */
function computePercentChange(value: number, before: number): number | undefined {
  const percent = Math.round((value / before - 1) * 100)
  return before > 0 && percent <= MAX_PERCENT ? percent : undefined
}

function Change({ percent }: { percent: number }) {
  const size = overviewCopy.percent(Math.abs(percent))
  if (percent === 0) return size
  return (
    <>
      <span aria-hidden>{percent > 0 ? '▲ ' : '▼ '}</span>
      <span className="sr-only">{percent > 0 ? overviewCopy.up : overviewCopy.down} </span>
      {size}
    </>
  )
}

export function Stat({ label, value, before, format = formatCount, describeBefore = overviewCopy.before }: Props) {
  const change = before === undefined ? undefined : computePercentChange(value, before)
  return (
    <div>
      <dt className="text-quiet text-sm">{label}</dt>
      <dd className="m-0">
        <span className="font-semibold text-2xl tabular-nums tracking-tight">{format(value)}</span>
        <span className="ml-2 text-sm tabular-nums empty:hidden">{change === undefined ? null : <Change percent={change} />}</span>
        {before === undefined ? null : <span className="block text-quiet text-sm tabular-nums">{describeBefore(format(before))}</span>}
      </dd>
    </div>
  )
}
