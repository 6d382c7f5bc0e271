/** A guest in a list: who, what kind of ticket, and whether they are in. */
import type { Guest } from '@/lib/admission/guests'
import { doorWords } from '../copy/door'

type State = 'in' | 'out' | 'canceled'

export const stateOf = ({ status, checkInStatus }: Guest): State =>
  status === 'CANCELED' ? 'canceled' : checkInStatus === 'CHECKEDIN' ? 'in' : 'out'

/** Whether a check-in by hand could let the guest in. */
export const mayEnter = (guest: Guest) => stateOf(guest) === 'out' || (stateOf(guest) === 'in' && guest.reentry)

const STYLES: Record<State, string> = { in: 'bg-good-soft text-good', out: 'bg-idle-soft text-ink', canceled: 'bg-bad-soft text-bad' }

/** When and how it came to be so, where that is known. */
function sinceOf({ last }: Guest): string | undefined {
  if (!last) return undefined
  return last.status === 'CHECKEDIN' ? doorWords.since(last.when, doorWords.ways[last.method]) : doorWords.undoneOn(last.when)
}

export function GuestState({ guest }: { guest: Guest }) {
  const state = stateOf(guest)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 text-sm" data-state={state}>
      <span className={`rounded-md px-1.5 font-medium ${STYLES[state]}`}>{doorWords.states[state]}</span>
      <span className="text-quiet">{sinceOf(guest)}</span>
    </span>
  )
}

export const GuestName = ({ guest }: { guest: Guest }) => (
  <span className="wrap-anywhere font-medium">{guest.name ?? doorWords.noName}</span>
)

/** What tells tickets of one name apart. */
export function GuestFacts({ guest, withEvent, withOrder = true }: { guest: Guest; withEvent: boolean; withOrder?: boolean }) {
  const { type, event, order, shortId } = guest
  const facts = [type, withEvent && event, withOrder && order, shortId].filter(Boolean)
  return facts.length > 0 ? <span className="wrap-anywhere text-quiet text-sm">{facts.join(' · ')}</span> : null
}
