/** The content of the side panel. Loaded after the scanner, because the first scan does not need it. */
import type { ComponentProps } from 'react'
import type { CodeSource } from '@/lib/admission/scan-source'
import { doorCopy } from '../copy/door'
import { DoorMenu } from './door-menu'
import { FindGuest } from './find-guest'
import type { Engine } from './offline/engine'
import type { FoundGuest } from './offline/scan-request'
import { OfflineGuestPanel } from './offline-guest'
import { type TicketActions, TicketPanel } from './ticket-panel'
import type { TicketState } from './use-ticket'

/** The panel's views other than the list. `from` is the view from which the guest or ticket was opened. */
export type PanelView =
  | { view: 'find' }
  | { view: 'menu' }
  | { view: 'guest'; guest: FoundGuest; from: 'find' }
  | { view: 'ticket'; id: string; from: 'find' | 'list' | undefined }

type Props = ComponentProps<typeof DoorMenu> & {
  panel: PanelView
  onPanel: (panel: PanelView) => void
  maySearch: boolean
  mayUndo: boolean
  isOffline: boolean
  findOffline: Engine['findGuests'] | undefined
  /** The search term. */
  term: string
  onTerm: (term: string) => void
  /** The state of the open ticket: loading, loaded or failed. */
  ticketState: TicketState
  actions: TicketActions
  onCode: (code: string, source: CodeSource) => void
  onAdmitOffline: (guest: FoundGuest) => void
}

export function PanelContent({ panel, onPanel, term, onTerm, ticketState, ...props }: Props) {
  const { settings, isPreviewMode } = props
  const { pageId } = settings
  if (panel.view === 'menu') return <DoorMenu {...props} />
  if (panel.view === 'find') {
    return (
      <FindGuest
        pageId={pageId}
        term={term}
        onTerm={onTerm}
        onChoose={(id) => onPanel({ view: 'ticket', id, from: 'find' })}
        isOffline={props.isOffline}
        findOffline={props.findOffline}
        onChooseOffline={(guest) => onPanel({ view: 'guest', guest, from: 'find' })}
        onCode={props.onCode}
      />
    )
  }
  if (panel.view === 'guest') return <OfflineGuestPanel guest={panel.guest} isPreviewMode={isPreviewMode} onAdmit={props.onAdmitOffline} />
  if (!ticketState.ticket) return <TicketLoadState error={ticketState.error} onRetry={ticketState.reload} />
  return (
    <div className="flex flex-col gap-4">
      {ticketState.error === undefined ? null : <TicketLoadState error={ticketState.error} onRetry={ticketState.reload} />}
      <TicketPanel
        key={panel.id}
        ticket={ticketState.ticket}
        pageId={pageId}
        isPreviewMode={isPreviewMode}
        maySearch={props.maySearch}
        mayUndo={props.mayUndo}
        actions={props.actions}
      />
    </div>
  )
}

/** The loading or error state of a ticket. */
function TicketLoadState({ error, onRetry }: { error: string | undefined; onRetry: () => void }) {
  if (error === undefined) return <p className="text-quiet text-sm">{doorCopy.opening}</p>
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert" className="text-bad text-sm">
        {error}
      </p>
      <button type="button" className="button h-16" onClick={onRetry}>
        {doorCopy.again}
      </button>
    </div>
  )
}
