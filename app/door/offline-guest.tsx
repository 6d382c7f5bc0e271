/** Shows a guest who was found on this device's list. */
import { doorCopy } from '../copy/door'
import type { FoundGuest } from './offline/scan-request'

/** Shows a guest's details, and the result that scanning the ticket would have had at the time of the search. */
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

type Props = { guest: FoundGuest; isPreviewMode: boolean; onAdmit: (guest: FoundGuest) => void }

/** Shows a guest with a check-in button. Omits notes and history, because they are only on the server. */
export function OfflineGuestPanel({ guest, isPreviewMode, onAdmit }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-0.5">
        <OfflineGuestLine guest={guest} />
      </div>
      <p className="text-quiet text-sm">{isPreviewMode ? doorCopy.previewModeOn : doorCopy.offline.guestHint}</p>
      {guest.decision.kind === 'previewed' && !isPreviewMode ? (
        <button type="button" className="button-primary h-16 w-full text-base" onClick={() => onAdmit(guest)}>
          {doorCopy.checkInManually}
        </button>
      ) : null}
    </div>
  )
}
