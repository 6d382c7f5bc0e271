/** A ticket with its actions, the other tickets in its order, its notes and its history. */
import type { Guest } from '@/lib/admission/guests'
import type { HistoryEntry, TicketDetails } from '@/lib/admission/ticket-details'
import { doorCopy } from '../copy/door'
import { GuestDetails, GuestState, toState } from './guest-line'
import { History } from './history'
import { isCheckOut } from './is-check-out'
import { type NoteChange, Notes } from './notes'
import { OrderTickets } from './order-tickets'
import type { ShownOutcome } from './scan-result'
import { UndoCheckIn } from './undo-check-in'

/** The actions of the panel. `undo` and `note` resolve with an error message, or undefined on success. */
export type TicketActions = {
  admit(guest: Guest): void
  /** @returns the results by ticket ID */
  admitMany(guests: Guest[]): Promise<Map<string, ShownOutcome>>
  /** @param entry the history entry to undo; undefined if the ticket was imported as checked in without a history */
  undo(guest: Guest, entry: HistoryEntry | undefined, reason: string): Promise<string | undefined>
  note(guest: Guest, change: NoteChange): Promise<string | undefined>
}

type Props = {
  ticket: TicketDetails
  /** The event selected on the device; empty for all events. */
  pageId: string
  isPreviewMode: boolean
  /** False on devices that may only scan codes, and not change a ticket without its code. */
  maySearch: boolean
  mayUndo: boolean
  actions: TicketActions
}

export function TicketPanel({
  ticket: { guest, metadata, isFull, history, refusals, others, hasMore },
  pageId,
  isPreviewMode,
  maySearch,
  mayUndo,
  actions,
}: Props) {
  const isOtherEvent = pageId !== '' && guest.pageId !== pageId
  const isCanceled = toState(guest) === 'canceled'
  const isIn = guest.checkInStatus === 'CHECKEDIN'
  const isOut = !isIn && guest.last !== undefined && isCheckOut(guest.last)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-0.5">
        <GuestDetails guest={guest} showEvent={pageId === ''} />
        <GuestState guest={guest} />
      </div>
      {isOtherEvent ? <p>{doorCopy.elsewhere(guest.event)}</p> : null}
      {isPreviewMode && !isOtherEvent ? <p className="text-quiet text-sm">{doorCopy.previewModeOn}</p> : null}
      {maySearch && guest.canCheckIn && !isOtherEvent && !isPreviewMode ? (
        <button type="button" className="button-primary h-16 w-full text-base" onClick={() => actions.admit(guest)}>
          {isIn ? doorCopy.checkInAgain : doorCopy.checkInManually}
        </button>
      ) : null}
      {mayUndo && (isIn || isOut) && !isOtherEvent ? (
        <UndoCheckIn
          label={isOut ? doorCopy.undoCheckOut : doorCopy.undo}
          onUndo={(reason) => actions.undo(guest, history.at(-1), reason)}
        />
      ) : null}
      {others.length > 0 && !isOtherEvent ? (
        <OrderTickets
          order={guest.order}
          guests={[guest, ...others]}
          hasMore={hasMore}
          showEvent={pageId === ''}
          canAdmit={!isPreviewMode}
          onAdmit={actions.admitMany}
        />
      ) : null}
      <Notes
        notes={metadata}
        isFull={isFull}
        isWritable={maySearch && !isCanceled && !isOtherEvent}
        onNote={(change) => actions.note(guest, change)}
      />
      <History entries={history} refusals={refusals} />
    </div>
  )
}
