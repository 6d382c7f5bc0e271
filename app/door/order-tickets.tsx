/** Lists an order's tickets, and checks in the selected ones, or all that are not checked in yet. Shows a result for each ticket. */
import { useState } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import type { Guest } from '@/lib/admission/guests'
import { doorCopy } from '../copy/door'
import { GuestDetails, GuestName, GuestState } from './guest-line'
import type { ShownOutcome } from './scan-result'

type Props = {
  /** The order number, if any. */
  order: string | undefined
  guests: Guest[]
  /** Whether the order has more tickets than `guests`. */
  hasMore: boolean
  showEvent: boolean
  /** False in preview mode. */
  canAdmit: boolean
  /** Checks in the guests. @returns the results by ticket ID */
  onAdmit: (guests: Guest[]) => Promise<Map<string, ShownOutcome>>
}

export function OrderTickets({ order, guests, hasMore, showEvent, canAdmit, onAdmit }: Props) {
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const [isPending, setPending] = useState(false)
  const [results, setResults] = useState<ReadonlyMap<string, ShownOutcome>>(new Map())
  // "Check in all" skips guests who are already checked in. Those who may enter again must be selected individually.
  const notCheckedIn = guests.filter((guest) => guest.canCheckIn && guest.checkInStatus === 'UNCHECKEDIN')
  const selectedGuests = guests.filter((guest) => selectedIds.has(guest.id) && guest.canCheckIn)
  const guestsToCheckIn = selectedGuests.length > 0 ? selectedGuests : notCheckedIn

  function toggle(id: string) {
    const next = new Set(selectedIds)
    if (!next.delete(id)) next.add(id)
    setSelectedIds(next)
  }

  async function admit() {
    setPending(true)
    setResults(await onAdmit(guestsToCheckIn))
    setSelectedIds(new Set())
    setPending(false)
  }

  const admitted = [...results.values()].filter(({ kind }) => kind === 'admitted').length
  return (
    <section aria-labelledby="order">
      <h3 id="order" className="wrap-anywhere font-medium text-sm">
        {doorCopy.order(order)}
      </h3>
      <ul className="mt-1">
        {guests.map((guest) => {
          const result = results.get(guest.id)
          const guestInfo = (
            <span className="flex min-w-0 flex-col">
              <GuestName guest={guest} />
              <GuestDetails guest={guest} showEvent={showEvent} showOrder={false} />
              <GuestState guest={guest} />
              {result && result.kind !== 'admitted' && result.details?.message ? (
                <span className="wrap-anywhere text-bad text-sm">{result.details.message}</span>
              ) : null}
            </span>
          )
          return (
            <li
              key={guest.id}
              className="flex min-h-16 items-center gap-3 border-line border-t py-2 first:border-t-0"
              data-ticket={guest.shortId}
            >
              {canAdmit && guest.canCheckIn ? (
                <label className="flex grow items-center gap-3">
                  <input
                    type="checkbox"
                    className="size-6 shrink-0"
                    checked={selectedIds.has(guest.id)}
                    disabled={isPending}
                    onChange={() => toggle(guest.id)}
                  />
                  {guestInfo}
                </label>
              ) : (
                <div className="grow">{guestInfo}</div>
              )}
              {result ? (
                <span className={`shrink-0 font-medium text-sm ${result.kind === 'admitted' ? 'text-good' : 'text-bad'}`}>
                  {doorCopy.outcomes[result.kind]}
                </span>
              ) : null}
            </li>
          )
        })}
      </ul>
      {hasMore ? <p className="text-quiet text-sm">{doorCopy.orderMore}</p> : null}
      {canAdmit && guestsToCheckIn.length > 0 ? (
        <PendingButton className="button-primary mt-2 h-16 w-full text-base" pending={isPending} onClick={admit}>
          {selectedGuests.length > 0 ? doorCopy.admitSome(selectedGuests.length) : doorCopy.admitAll(notCheckedIn.length)}
        </PendingButton>
      ) : null}
      <p role="status" className="mt-1 min-h-5 text-sm">
        {results.size > 0 ? doorCopy.admittedSome(admitted, results.size) : ''}
      </p>
    </section>
  )
}
