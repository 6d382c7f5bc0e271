'use client'
/** The check-in page: scanner, result, guest search and turnout. */
import { useCallback, useRef, useState } from 'react'
import type { CheckoutPage } from '@/lib/accounts/checkout-pages'
import type { Guest } from '@/lib/admission/guests'
import type { Turnout } from '@/lib/admission/turnout'
import { doorCopy } from '../copy/door'
import { Camera, type CameraError } from './camera'
import { type ChangePath, type ChangeResult, type DoorResult, newKey, readResponse, sendChange } from './door-client'
import { FindGuest } from './find-guest'
import { readyField } from './focus-field'
import type { Engine, EngineScan } from './offline/engine'
import { OfflineBar } from './offline-bar'
import type { ActionResponse, ScanResponse } from './responses'
import { Result } from './result'
import { ResultActions } from './result-actions'
import { ScanBox } from './scan-box'
import type { ScanOutcome } from './scan-result'
import { SettingsBar } from './settings-bar'
import { SidePanel } from './side-panel'
import { playSignal } from './signals'
import { type TicketActions, TicketPanel } from './ticket-panel'
import { TicketPlaceholder } from './ticket-placeholder'
import { RecentScans, TurnoutByType } from './turnout-and-scans'
import { useOffline } from './use-offline'
import { useScans } from './use-scans'
import { useSettings } from './use-settings'
import { useTicket } from './use-ticket'
import { useTurnout } from './use-turnout'

/** The content of the side panel. `found` is true for tickets that were opened from the search results. */
type PanelView = { view: 'find' } | { view: 'ticket'; id: string; found: boolean }

/** Returns the details of a guest that are shown with a result. */
const detailsOf = ({ id, name, type, order, shortId }: Guest) => ({ ticketId: id, guest: name, type, order, shortId })

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Returns the result to show. @param guest the guest of a manual check-in, shown even if there was no response */
function outcomeOf(sent: ChangeResult<ScanResponse>, guest?: Guest): ScanOutcome {
  const details = guest ? detailsOf(guest) : {}
  if (sent.outcome === 'ok') {
    const { kind, message, ticket } = sent.data
    const details = ticket ? detailsOf(ticket.guest) : {}
    if (kind === 'admitted' && sent.data.replayed && sent.repeated)
      return { kind: 'replayed', details: { message: doorCopy.replayedAt(timeFormat.format(sent.repeated)), ...details } }
    return { kind, details: { message, ...details } }
  }
  return sent.outcome === 'offline' ? { kind: 'offline', details } : { kind: 'failed', details: { ...details, message: sent.message } }
}

/** Returns the result of a scan that this device has decided. */
function toLocalOutcome({ decision, listUpdatedAt }: Extract<EngineScan, { by: 'device' }>, code: string): ScanOutcome {
  const { kind, message, ticket } = decision
  const { offline: copy } = doorCopy
  const time = timeFormat.format(listUpdatedAt)
  const hint = kind === 'unknown' ? copy.notListed(time) : copy.checkedHere(time)
  const others = ticket && ticket.others > 0 ? ` ${copy.others(ticket.others)}.` : ''
  const details = { guest: ticket?.name ?? undefined, type: ticket?.type ?? undefined, shortId: ticket?.shortId ?? undefined }
  const shown = kind === 'admitted' || kind === 'previewed' || message === undefined ? {} : { message: `${message}.` }
  return { kind, details: { ...details, ...shown, local: { hint: `${hint}${others}`, code } } }
}

/** Returns the error message of an undo or a note; undefined if it succeeded. */
function errorOf(sent: DoorResult<ActionResponse>): string | undefined {
  if (sent.outcome === 'offline') return doorCopy.changeOffline
  if (sent.outcome === 'refused') return sent.message
  return sent.data.done ? undefined : sent.data.message
}

type Props = {
  pages: CheckoutPage[]
  turnout: Turnout
  /** The event that is selected first; empty for all events, which devices of certain events cannot select. */
  firstPageId: string
  maySearch: boolean
  mayUndo: boolean
  /** Whether the browser is a check-in device, whose name is fixed. */
  hasName: boolean
  /** Whether this device may check tickets without a network. */
  worksOffline: boolean
}

export function Door({ pages, turnout: initial, firstPageId, maySearch, mayUndo, hasName, worksOffline }: Props) {
  const [settings, change] = useSettings(
    pages.map(({ id }) => id),
    firstPageId,
  )
  const { pageId, device } = settings
  const [lookOnly, setLookOnly] = useState(false)
  const [camera, setCamera] = useState<'off' | 'on' | CameraError>('off')
  const [panelView, setPanelView] = useState<PanelView>()
  const [raised, setRaised] = useState(false)
  const [term, setTerm] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const opener = useRef<Element>(null)
  const { scans, current, late, begin, settle, add, newestId, show } = useScans()
  const { turnout, countEntry, refresh } = useTurnout(initial, pageId)
  const offline = useOffline(worksOffline)
  const loaded = useTicket(panelView?.view === 'ticket' ? panelView.id : undefined, pageId)

  const send = <T,>(path: ChangePath, fields: Record<string, unknown>) =>
    sendChange<T>(path, { ...fields, ...(pageId ? { pageId } : {}), ...(device ? { device } : {}) })

  /** Checks a code with the server, or on this device if the server does not answer. @returns the response, or the local outcome */
  async function sendScan(engine: Engine, code: string): Promise<ChangeResult<ScanResponse> | { local: ScanOutcome }> {
    const sent = await engine.scan({ id: newKey(), code, checkIn: !lookOnly, pageId: pageId || undefined })
    offline.refresh()
    if (sent.by === 'server') return readResponse<ScanResponse>(sent.response)
    return sent.by === 'none' ? { outcome: 'offline' } : { local: toLocalOutcome(sent, code) }
  }

  async function override(code: string) {
    await offline.engine?.override({ id: newKey(), code, checkIn: true, pageId: pageId || undefined })
    offline.refresh()
    settle(begin(), { kind: 'admitted', details: { local: { hint: doorCopy.offline.overridden, code } } })
  }

  /** Updates the turnout after a check-in, without a request. */
  const count = ({ entered, ticket }: ScanResponse) => entered && countEntry(ticket?.guest.typeId ?? '')

  /** Sends a scan. Closes the sheet, so that the result is visible, and shows the ticket in the side panel. */
  async function submitScan(path: ChangePath, fields: Record<string, unknown>, guest?: Guest) {
    const id = begin()
    lower()
    window.scrollTo({ top: 0 })
    const { engine } = offline
    const { code } = fields
    const sent = engine && typeof code === 'string' ? await sendScan(engine, code) : await send<ScanResponse>(path, fields)
    if ('local' in sent) {
      settle(id, sent.local)
      setPanelView(undefined)
      return
    }
    const isNewest = settle(id, outcomeOf(sent, guest))
    if (sent.outcome !== 'ok') return
    count(sent.data)
    if (!isNewest) return
    const { ticket } = sent.data
    setPanelView(
      (before) =>
        ticket && {
          view: 'ticket',
          id: ticket.guest.id,
          found: before?.view === 'ticket' && before.id === ticket.guest.id && before.found,
        },
    )
    if (ticket) loaded.show(ticket)
  }

  const scan = (code: string) => void submitScan('/door/scan', { code, checkIn: !lookOnly })

  function raise(next: PanelView) {
    opener.current = document.activeElement
    setPanelView(next)
    setRaised(true)
  }
  const open = (id: string) => raise({ view: 'ticket', id, found: false })
  function find() {
    setTerm('')
    raise({ view: 'find' })
  }

  /** Closes the sheet. If it contains the focus, moves the focus to the code field. */
  function lower() {
    if (document.activeElement?.closest('[data-desk]')) readyField(field.current)
    setRaised(false)
  }

  const close = useCallback(() => {
    setRaised(false)
    setPanelView(undefined)
    const back = opener.current
    if (back instanceof HTMLElement && back.isConnected && back !== document.body) back.focus()
    else readyField(field.current)
  }, [])

  const actions: TicketActions = {
    admit: (guest) => void submitScan('/door/admit', { ticketId: guest.id }, guest),
    async admitMany(guests) {
      const kinds = await Promise.all(
        guests.map(async (guest) => {
          const sent = await send<ScanResponse>('/door/admit', { ticketId: guest.id })
          const outcome = outcomeOf(sent, guest)
          add(outcome)
          if (sent.outcome === 'ok') count(sent.data)
          return [guest.id, outcome.kind] as const
        }),
      )
      playSignal(kinds.find(([, kind]) => kind !== 'admitted')?.[1] ?? 'admitted')
      loaded.reload()
      return new Map(kinds)
    },
    async undo(guest, sequence, reason) {
      const since = newestId()
      const error = errorOf(await send<ActionResponse>('/door/undo', { ticketId: guest.id, sequence, reason }))
      loaded.reload()
      refresh()
      if (error === undefined && show({ kind: 'undone', details: detailsOf(guest) }, since)) lower()
      return error
    },
    async note(guest, metadata) {
      const error = errorOf(await send<ActionResponse>('/door/metadata', { ticketId: guest.id, metadata: [metadata] }))
      loaded.reload()
      return error
    },
  }

  return (
    <main className="grid grow content-start gap-4 lg:grid-cols-[minmax(0,1fr)_26rem] lg:content-stretch">
      {/* Fills the first screen, with the result as large as possible; sticky on wide screens. */}
      <div className="flex flex-col gap-3 max-lg:min-h-[calc(100svh-4rem)] lg:sticky lg:top-3 lg:h-[calc(100dvh-4.5rem)] lg:min-h-120">
        <SettingsBar
          pages={pages}
          allowsAll={firstPageId === ''}
          hasName={hasName}
          settings={settings}
          change={change}
          onDone={() => readyField(field.current)}
        />
        {worksOffline ? <OfflineBar offline={offline} /> : null}
        <Result result={current}>
          <ResultActions
            result={current}
            others={loaded.ticket?.guest.id === current?.details?.ticketId ? loaded.ticket?.others.length : undefined}
            onDesk={panelView?.view === 'ticket' && panelView.id === current?.details?.ticketId}
            onOpen={open}
            onOverride={(code) => void override(code)}
            onFind={maySearch ? find : undefined}
          />
        </Result>
        {late && late.kind !== 'checking' ? (
          <p role="status" className="text-center text-sm">
            {doorCopy.earlier}: <strong>{doorCopy.outcomes[late.kind]}</strong> {late.details?.guest}
          </p>
        ) : null}
        {camera === 'on' ? <Camera onCode={scan} onError={setCamera} /> : null}
        {camera !== 'on' && camera !== 'off' ? (
          <p role="alert" className="text-bad text-sm">
            {doorCopy.cameraErrors[camera]}
          </p>
        ) : null}
        <ScanBox field={field} onCode={scan} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <button type="button" className="button h-11" onClick={() => setCamera(camera === 'on' ? 'off' : 'on')}>
            {camera === 'on' ? doorCopy.cameraOff : doorCopy.camera}
          </button>
          {maySearch ? (
            <button type="button" className="button h-11" onClick={find}>
              {doorCopy.find}
            </button>
          ) : null}
          <label className="flex min-h-11 items-center gap-2">
            <input type="checkbox" className="size-5" checked={lookOnly} onChange={(event) => setLookOnly(event.target.checked)} />
            {doorCopy.lookOnly}
          </label>
          <span className="ml-auto tabular-nums" data-turnout>
            {doorCopy.inside(turnout.attended, turnout.sold)}
          </span>
        </div>
      </div>

      <div className="flex min-w-0 flex-col gap-6">
        {panelView ? (
          <SidePanel
            title={panelView.view === 'find' ? doorCopy.find : (loaded.ticket?.guest.name ?? doorCopy.desk)}
            raised={raised}
            onClose={close}
            onBack={panelView.view === 'ticket' && panelView.found ? () => setPanelView({ view: 'find' }) : undefined}
          >
            {panelView.view === 'find' ? (
              <FindGuest
                pageId={pageId}
                term={term}
                onTerm={setTerm}
                onChoose={(id) => setPanelView({ view: 'ticket', id, found: true })}
                onCode={scan}
              />
            ) : loaded.ticket ? (
              <TicketPanel
                key={panelView.id}
                ticket={loaded.ticket}
                pageId={pageId}
                lookOnly={lookOnly}
                maySearch={maySearch}
                mayUndo={mayUndo}
                actions={actions}
              />
            ) : (
              <TicketPlaceholder error={loaded.error} onRetry={loaded.reload} />
            )}
          </SidePanel>
        ) : null}
        <TurnoutByType types={turnout.types} />
        <RecentScans scans={scans} onOpen={open} />
      </div>
    </main>
  )
}
