/** The check-in history of a ticket and its latest refused scans, both newest first. */
import { describeEntryMethod } from '@/lib/admission/scan-source'
import type { HistoryEntry, RefusedScan } from '@/lib/admission/ticket-details'
import { doorCopy } from '../copy/door'
import { isCheckOut } from './is-check-out'

export function History({ entries, refusals }: { entries: HistoryEntry[]; refusals: RefusedScan[] }) {
  return (
    <section aria-labelledby="history">
      <h3 id="history" className="font-medium text-sm">
        {doorCopy.history}
      </h3>
      {entries.length === 0 ? <p className="text-quiet text-sm">{doorCopy.noHistory}</p> : null}
      <ol className="mt-1 text-sm">
        {entries.toReversed().map(({ sequence, status, method, source, when, who, reason }) => (
          <li key={sequence} className="border-line border-t py-1.5 first:border-t-0">
            <p>
              <span className="font-medium">{isCheckOut({ status, method }) ? doorCopy.checkedOut : doorCopy.events[status]}</span>{' '}
              {doorCopy.since(when, describeEntryMethod({ method, source }))}
            </p>
            {reason ? <p className="wrap-anywhere">{reason}</p> : null}
            {who ? <p className="wrap-anywhere text-quiet">{who}</p> : null}
          </li>
        ))}
      </ol>
      {refusals.length > 0 ? (
        <>
          <h4 className="mt-2 font-medium text-sm">{doorCopy.refused}</h4>
          <ol className="mt-1 text-sm">
            {refusals.map(({ outcome, when, at, who }) => (
              <li key={at} className="border-line border-t py-1.5 first:border-t-0">
                <p>
                  <span className="font-medium">{doorCopy.outcomes[outcome]}</span> {when}
                </p>
                {who ? <p className="wrap-anywhere text-quiet">{who}</p> : null}
              </li>
            ))}
          </ol>
        </>
      ) : null}
    </section>
  )
}
