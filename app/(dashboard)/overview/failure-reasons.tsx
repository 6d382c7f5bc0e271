/** The most frequent reasons why payments failed in the period. */
import { Link } from '@/app/_components/link'
import { formatCount } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import type { DateRange } from '@/lib/reports/date-range'
import type { FailureReasons as Failures } from '@/lib/reports/failure-reasons'
import { Card } from './card'
import { failedHref, type View } from './view'

const LISTS = ['payments', 'bookings'] as const

type Reasons = Failures['reasons']

/** Returns each reason's label and count, followed by any remainder as "Other reasons". */
export function labelReasons(reasons: Reasons, total: number): { reason: string; count: number }[] {
  const { unknown, other } = overviewCopy.failures
  const otherCount = reasons.reduce((remaining, { count }) => remaining - count, total)
  return [
    ...reasons.map(({ reason = unknown, count }) => ({ reason, count })),
    ...(otherCount > 0 ? [{ reason: other, count: otherCount }] : []),
  ]
}

export function FailureReasons({ failures, view, range: { dates, span } }: { failures: Failures; view: View; range: DateRange }) {
  const copy = overviewCopy.failures
  const [first, last] = [String(dates[span]), String(dates.at(-1))]
  return (
    <Card
      id="failures"
      title={copy.title}
      aside={
        <span className="flex flex-wrap justify-end gap-x-4 text-sm tabular-nums">
          {LISTS.filter((list) => failures[list] > 0).map((list) => (
            <Link key={list} href={failedHref(list, view.period, first, last)} className="text-accent underline-offset-4 hover:underline">
              {copy[list](failures[list])}
            </Link>
          ))}
        </span>
      }
    >
      <ol className="text-sm tabular-nums">
        {labelReasons(failures.reasons, failures.payments + failures.bookings).map(({ reason, count }) => (
          <li key={reason} className="flex justify-between gap-4 border-line border-t py-2 first:border-t-0">
            <span className="min-w-0 break-words">{reason}</span>
            <span>{formatCount(count)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
