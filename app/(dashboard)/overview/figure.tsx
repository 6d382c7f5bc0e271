/** One figure of the overview, with what it was before. */
import { overviewWords } from '@/app/copy/overview'

type Props = {
  label: string
  value: number
  before: number
  /** How it is written. */
  write?: (value: number) => string
  /** What stands for the earlier figure. */
  beforeWords?: (text: string) => string
}

const writeCount = (value: number) => value.toLocaleString('en')

/** A change beyond this says no more than the two figures do. */
const MOST_PERCENT = 999

/** In whole per cent; undefined where there is nothing to compare with. */
function changeOf(value: number, before: number): number | undefined {
  const percent = Math.round((value / before - 1) * 100)
  return before > 0 && percent <= MOST_PERCENT ? percent : undefined
}

export function Figure({ label, value, before, write = writeCount, beforeWords = overviewWords.before }: Props) {
  const change = changeOf(value, before)
  return (
    <div>
      <dt className="text-quiet text-sm">{label}</dt>
      <dd className="m-0">
        <span className="font-semibold text-2xl tabular-nums tracking-tight">{write(value)}</span>
        <span className="ml-2 text-sm tabular-nums">{change === undefined ? null : overviewWords.change(change)}</span>
        <span className="block text-quiet text-sm tabular-nums">{beforeWords(write(before))}</span>
      </dd>
    </div>
  )
}
