/** The parts of a row in a list of guests: name, ticket and check-in status. */
import type { Guest } from '@/lib/admission/guests'
import { describeEntryMethod } from '@/lib/admission/scan-source'
import { doorCopy } from '../copy/door'
import { isCheckOut } from './is-check-out'

type State = 'in' | 'out' | 'canceled'

/** Returns whether a ticket is checked in, not checked in, or canceled. */
export const toState = ({ status, checkInStatus }: Guest): State =>
  status === 'CANCELED' ? 'canceled' : checkInStatus === 'CHECKEDIN' ? 'in' : 'out'

const STYLES: Record<State, string> = { in: 'bg-good-soft text-good', out: 'bg-neutral-soft text-ink', canceled: 'bg-bad-soft text-bad' }

/** Formats when the check-in status last changed, and how the guest was checked in; undefined without a history. */
function formatLastChange({ last }: Guest): string | undefined {
  if (!last) return undefined
  if (last.status === 'CHECKEDIN') return doorCopy.since(last.when, describeEntryMethod(last))
  return isCheckOut(last) ? doorCopy.checkedOutOn(last.when) : doorCopy.undoneOn(last.when)
}

export function GuestState({ guest }: { guest: Guest }) {
  const state = toState(guest)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 text-sm" data-state={state}>
      <span className={`rounded-md px-1.5 font-medium ${STYLES[state]}`}>{doorCopy.states[state]}</span>
      <span className="text-quiet">{formatLastChange(guest)}</span>
    </span>
  )
}

export const GuestName = ({ guest }: { guest: Pick<Guest, 'name'> }) => (
  <span className="wrap-anywhere font-medium">{guest.name ?? doorCopy.noName}</span>
)

/** Details that distinguish tickets with the same guest name. */
export function GuestDetails({ guest, showEvent, showOrder = true }: { guest: Guest; showEvent: boolean; showOrder?: boolean }) {
  const { type, event, order, shortId } = guest
  const details = [type, showEvent && event, showOrder && order, shortId].filter(Boolean)
  return details.length > 0 ? <span className="wrap-anywhere text-quiet text-sm">{details.join(' · ')}</span> : null
}
