/** Why the failed orders of a table failed, in one line above it. */
import { formatCount } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { overviewCopy } from '@/app/copy/overview'
import type { countListedReasons } from '@/lib/reports/failure-reasons'

type Props = { counts: Awaited<ReturnType<typeof countListedReasons>> | undefined }

export function FailureNote({ counts }: Props) {
  if (!counts || counts.total === 0) return null
  const copy = overviewCopy.failures
  const other = counts.reasons.reduce((rest, { count }) => rest - count, counts.total)
  const shown = counts.reasons.map(({ reason = copy.unknown, count }) => ({ reason, count }))
  return (
    <ul aria-label={copy.title} className="flex flex-wrap gap-x-5 tabular-nums">
      {[...shown, ...(other > 0 ? [{ reason: copy.other, count: other }] : [])].map(({ reason, count }) => (
        <li key={reason} className="max-w-full truncate">
          <span className="font-medium">{listCopy.times(formatCount(count))}</span> <span className="text-quiet">{reason}</span>
        </li>
      ))}
    </ul>
  )
}
