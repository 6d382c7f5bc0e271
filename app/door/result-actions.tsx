/** The button below a result, which opens the ticket or, if the code is unknown, opens the guest search or lets the guest in. */
import { doorCopy } from '../copy/door'
import type { UnlistedScan } from './offline/scan-request'
import type { ScanResult } from './scan-result'

type Props = {
  result: ScanResult | undefined
  /** The number of other tickets in the order; undefined until it is known. */
  others: number | undefined
  /** Whether the ticket is already open in the side panel, which wide screens always show. */
  isInSidePanel: boolean
  onOpen: (ticketId: string) => void
  /** Lets the guest in although the code is not on this device's list. */
  onOverride: (scan: UnlistedScan) => void
  /** Undefined on devices that may not search for guests. */
  onFind: (() => void) | undefined
}

const STYLE =
  'inline-flex min-h-16 shrink-0 items-center rounded-lg border border-white/70 px-5 py-2 text-base text-white hover:bg-white/10 group-data-[size=large]:mt-5 group-data-[size=small]:max-w-2/5'

export function ResultActions({ result, others, isInSidePanel, onOpen, onOverride, onFind }: Props) {
  const local = result?.details?.local
  const override = local?.override
  if (override !== undefined) {
    return (
      <button type="button" className={STYLE} onClick={() => onOverride(override)}>
        {doorCopy.offline.override}
      </button>
    )
  }
  // Without the server, the ticket cannot be opened.
  if (local) return null
  if (result?.kind === 'unknown' && onFind) {
    return (
      <button type="button" className={STYLE} onClick={onFind}>
        {doorCopy.find}
      </button>
    )
  }
  const ticketId = result?.details?.ticketId
  if (ticketId === undefined) return null
  return (
    <button type="button" className={`${STYLE} ${isInSidePanel ? 'lg:hidden' : ''}`} onClick={() => onOpen(ticketId)}>
      {doorCopy.openTicketPanel(others ?? 0)}
    </button>
  )
}
