/** Lists the most frequent reasons why a table's orders failed, above the table. */
import { formatCount } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { overviewCopy } from '@/app/copy/overview'
import type { countTableFailureReasons } from '@/lib/reports/failure-reasons'
import { labelReasons } from '../overview/failure-reasons'

/** `counts` is undefined if the report is unavailable. */
type Props = { counts: Awaited<ReturnType<typeof countTableFailureReasons>> | undefined }

export function FailureNote({ counts }: Props) {
  if (!counts || counts.total === 0) return null
  return (
    <ul aria-label={overviewCopy.failures.title} className="flex flex-wrap gap-x-5 tabular-nums">
      {labelReasons(counts.reasons, counts.total).map(({ reason, count }) => (
        <li key={reason} className="max-w-full truncate">
          <span className="font-medium">{listCopy.times(formatCount(count))}</span> <span className="text-quiet">{reason}</span>
        </li>
      ))}
    </ul>
  )
}
