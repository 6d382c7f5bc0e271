/** A guest who was found on this device's list while the server is unreachable. */
import { doorCopy } from '../copy/door'
import type { FoundGuest } from './offline/scan-request'

/** A guest's details, and the result that scanning the ticket would show now. */
export function OfflineGuestLine({ guest: { order, shortId, decision } }: { guest: FoundGuest }) {
  const { kind, message, ticket } = decision
  const details = [ticket?.type, order, shortId].filter(Boolean)
  return (
    <>
      {details.length > 0 ? <span className="wrap-anywhere text-quiet text-sm">{details.join(' · ')}</span> : null}
      <span className="wrap-anywhere text-quiet text-sm" data-state={kind}>
        {kind === 'previewed' ? doorCopy.states.out : (message ?? doorCopy.outcomes[kind])}
      </span>
    </>
  )
}

type Props = { guest: FoundGuest; previewMode: boolean; onAdmit: (guest: FoundGuest) => void }

/** A guest with a check-in button. Notes and history are not shown, because they are only on the server. */
export function OfflineGuestPanel({ guest, previewMode, onAdmit }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-0.5">
        <OfflineGuestLine guest={guest} />
      </div>
      <p className="text-quiet text-sm">{previewMode ? doorCopy.previewModeOn : doorCopy.offline.guestHint}</p>
      {guest.decision.kind === 'previewed' && !previewMode ? (
        <button type="button" className="button-primary h-16 w-full text-base" onClick={() => onAdmit(guest)}>
          {doorCopy.checkInManually}
        </button>
      ) : null}
    </div>
  )
}
