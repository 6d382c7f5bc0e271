/** The loading or error state of a ticket. */
import { doorCopy } from '../copy/door'

export function TicketPlaceholder({ error, onRetry }: { error: string | undefined; onRetry: () => void }) {
  if (error === undefined) return <p className="text-quiet text-sm">{doorCopy.opening}</p>
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert" className="text-bad text-sm">
        {error}
      </p>
      <button type="button" className="button h-16" onClick={onRetry}>
        {doorCopy.again}
      </button>
    </div>
  )
}
