/** Adds this device's check-ins to the counts that it shows, until the server sends new counts. */
import type { TicketDetails } from '@/lib/admission/ticket-details'
import type { Turnout } from '@/lib/admission/turnout'
import { isCheckOut } from './is-check-out'
import type { ScanResponse } from './responses'

type EntryCounter = {
  /** Call when the server has sent counts. */
  receive(): void
  /** Call before a scan is sent. @returns a function that takes the scan's response and returns whether to add the guest to the counts */
  begin(): (response: Pick<ScanResponse, 'didCheckIn' | 'replayed'>) => boolean
}

/**
 * Creates an entry counter. The server may send counts that include a check-in before it responds to the scan. A check-in is therefore
 * added only if no counts have arrived since its scan was sent; otherwise, the server's next counts include it. For the same reason, a
 * scan that is sent again because its first response was lost is never added.
 */
export function createEntryCounter(): EntryCounter {
  let received = 0
  return {
    receive() {
      received += 1
    },
    begin() {
      const before = received
      return ({ didCheckIn, replayed }) => didCheckIn && !replayed && received === before
    },
  }
}

/**
 * Returns the counts with one more guest inside. A guest who returns after a check-out has already been counted as attended.
 *
 * @param ticket the guest's ticket after the check-in
 */
export function addEntry(turnout: Turnout, ticket: Pick<TicketDetails, 'guest' | 'history'> | undefined): Turnout {
  const attended = ticket?.history.some(isCheckOut) ? 0 : 1
  const addGuest = <C extends { attended: number; inside: number }>(counts: C): C => ({
    ...counts,
    attended: counts.attended + attended,
    inside: counts.inside + 1,
  })
  const typeId = ticket?.guest.typeId ?? ''
  return { ...addGuest(turnout), types: turnout.types.map((type) => (type.id === typeId ? addGuest(type) : type)) }
}
