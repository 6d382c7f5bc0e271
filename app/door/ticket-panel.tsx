/** One ticket at the door: who it is, and what can be done for them. */
import type { Guest } from '@/lib/admission/guests'
import type { OpenedTicket } from '@/lib/admission/open-ticket'
import { doorWords } from '../copy/door'
import { GuestFacts, GuestState, mayEnter, stateOf } from './guest-line'
import { History } from './history'
import { type NoteChange, Notes } from './notes'
import { OrderTickets } from './order-tickets'
import type { ShownKind } from './shown'
import { UndoCheckIn } from './undo-check-in'

/** What a ticket's panel can have done; a sentence is why it was not. */
export type TicketDeeds = {
  admit(guest: Guest): void
  admitMany(guests: Guest[]): Promise<Map<string, ShownKind>>
  /** @param sequence the entry of its history that is taken back */
  undo(guest: Guest, sequence: number, reason: string): Promise<string | undefined>
  note(guest: Guest, change: NoteChange): Promise<string | undefined>
}

type Props = {
  ticket: OpenedTicket
  /** The door's event, or empty. */
  pageId: string
  lookOnly: boolean
  mayUndo: boolean
  deeds: TicketDeeds
}

export function TicketPanel({ ticket: { guest, metadata, full, history, others, more }, pageId, lookOnly, mayUndo, deeds }: Props) {
  const elsewhere = pageId !== '' && guest.pageId !== pageId
  const canceled = stateOf(guest) === 'canceled'
  const isIn = guest.checkInStatus === 'CHECKEDIN'
  const last = history.at(-1)?.sequence ?? 0
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-0.5">
        <GuestFacts guest={guest} withEvent={pageId === ''} />
        <GuestState guest={guest} />
      </div>
      {elsewhere ? <p>{doorWords.elsewhere(guest.event)}</p> : null}
      {lookOnly && !elsewhere ? <p className="text-quiet text-sm">{doorWords.lookOnlyOn}</p> : null}
      {mayEnter(guest) && !elsewhere && !lookOnly ? (
        <button type="button" className="button-primary h-12 w-full text-base" onClick={() => deeds.admit(guest)}>
          {isIn ? doorWords.againByHand : doorWords.byHand}
        </button>
      ) : null}
      {mayUndo && isIn && !elsewhere ? <UndoCheckIn onUndo={(reason) => deeds.undo(guest, last, reason)} /> : null}
      {others.length > 0 && !elsewhere ? (
        <OrderTickets
          order={guest.order}
          guests={[guest, ...others]}
          more={more}
          withEvent={pageId === ''}
          admits={!lookOnly}
          onAdmit={deeds.admitMany}
        />
      ) : null}
      <Notes notes={metadata} full={full} writable={!canceled && !elsewhere} onNote={(change) => deeds.note(guest, change)} />
      <History entries={history} />
    </div>
  )
}
