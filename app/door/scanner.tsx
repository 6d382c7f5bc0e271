/** The scanner of the check-in page, with the result, the side panel and the menu. */
import { ScanQrCode } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Guest } from '@/lib/admission/guests'
import type { CodeSource } from '@/lib/admission/scan-source'
import { doorCopy } from '../copy/door'
import { BottomBar } from './bottom-bar'
import type { CameraError } from './camera'
import { beginChange, type ChangePath, type ChangeResult, sendChange } from './door-client'
import { findOnlyEvent } from './door-events'
import { compareZones, formatDoorTime } from './door-time'
import { EnrollBar } from './enroll-bar'
import type { PageCounts } from './last-counts'
import { Notices } from './notices'
import { applyCountChanges, sumCountChanges } from './offline/count-changes'
import type { CodeScan, FoundGuest, GuestScan, ReadCode, UnlistedScan } from './offline/scan-request'
import { OfflineBar } from './offline-bar'
import { getErrorMessage, toDetails, toOutcome } from './outcomes'
import { Overview } from './overview'
import type { ActionResponse, ScanResponse } from './responses'
import { Result } from './result'
import { ResultActions } from './result-actions'
import { ScanBox } from './scan-box'
import type { ShownOutcome } from './scan-result'
import { letInAnyway, sendManualChange, sendScan } from './send-scan'
import { SidePanel } from './side-panel'
import { playSignal, setMuted } from './signals'
import type { TicketActions } from './ticket-panel'
import { capacityNotice, TopBar } from './top-bar'
import { useConflicts } from './use-conflicts'
import { useDeferred } from './use-deferred'
import type { Offline } from './use-offline'
import { type Panel, usePanel } from './use-panel'
import { useScans } from './use-scans'
import type { Settings } from './use-settings'
import { useTicket } from './use-ticket'
import { useTurnout } from './use-turnout'
import { useWakeLock } from './use-wake-lock'

/** How a scan identifies its ticket, and its direction if it is not an entry. */
type ScanTarget = (ReadCode & Pick<CodeScan, 'direction'>) | Pick<GuestScan, 'name' | 'ticketId' | 'codeKey'>

/** How long to wait, in milliseconds, before a scan is shown as offline. The scan continues, and its result replaces the offline one. */
const WAIT_MS = 1_500

/** The data that the page is rendered with. */
export type PageData = {
  sellerId: string
  sellerName: string
  counts: PageCounts
  /** The IANA time zone of the events. */
  timeZone: string
  maySearch: boolean
  mayUndo: boolean
  /** Whether guests can be scanned out. */
  mayCheckOut: boolean
  /** The fixed name of a check-in device; undefined for users. */
  deviceName: string | undefined
  /** The theme choice and the account links. */
  account: ReactNode
}

type ScannerProps = PageData & {
  /** Whether all events can be selected. */
  allowsAll: boolean
  settings: Settings
  change: (part: Partial<Settings>) => void
  /** Undefined if this browser cannot work offline. */
  offline: Offline | undefined
  /** Makes this browser a device that works offline; undefined if it already is one or cannot become one. */
  onEnroll: (() => Promise<void>) | undefined
  /** Signs the user out. Resolves with an error message if this fails. Undefined on devices without a user. */
  onSignOut: (() => Promise<string | undefined>) | undefined
  /** A notice that is shown above the results. */
  notice: string | undefined
}

const loadCamera = () => import('./camera')
const loadPanel = () => import('./panel-content')

const isTouch = () => window.matchMedia('(pointer: coarse)').matches

export function Scanner(props: ScannerProps) {
  const { counts, allowsAll, maySearch, timeZone, settings, change, offline, notice } = props
  const { initial, events } = counts
  const { pageId, device, isMuted } = settings
  const [isPreviewMode, setPreviewMode] = useState(false)
  const isScanningOut = props.mayCheckOut && settings.scansOut
  const direction = isScanningOut ? ({ direction: 'out' } as const) : {}
  const [cameraError, setCameraError] = useState<CameraError>()
  const [term, setTerm] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const panel = usePanel(field)
  const { view: panelView, raise } = panel
  const { scans, current, late, begin, settle, add, newestId, show } = useScans()
  const {
    turnout: serverTurnout,
    at,
    isReachable,
    beginEntry,
    refresh,
  } = useTurnout(props.sellerId, pageId, counts, {
    isCountUncertain: offline?.status?.isCountUncertain ?? false,
    onCounts: offline?.forgetDelivered,
  })
  const { conflicts, notice: conflict, markSeen } = useConflicts(offline, scans, timeZone)
  const ownChanges = sumCountChanges(offline?.status, pageId)
  const turnout = applyCountChanges(serverTurnout, ownChanges)
  // If all events are selected but only one has tickets, that event's capacity applies.
  const capacity = capacityNotice(
    turnout.inside,
    turnout.capacity ?? (pageId === '' ? findOnlyEvent(events, initial.turnout.sold)?.capacity : undefined),
  )
  const isConnected = offline?.status ? !offline.status.isOffline : isReachable
  const delivered = offline?.status?.delivered.length ?? 0
  const refreshCounts = useEffectEvent(refresh)
  // Requests counts that include the scans that this device has just reported. Until they arrive, the scans are added to earlier counts.
  useEffect(() => {
    if (delivered > 0) refreshCounts()
  }, [delivered])
  const age = isConnected ? undefined : { time: formatDoorTime(timeZone, at), admitted: ownChanges.admitted }
  const loaded = useTicket(panelView?.view === 'ticket' ? panelView.id : undefined, pageId)
  const isCameraOn = cameraError === undefined && (settings.usesCamera ?? isTouch())
  const camera = useDeferred(isCameraOn ? loadCamera : undefined)
  const content = useDeferred(loadPanel)
  useWakeLock()
  useEffect(() => setMuted(isMuted), [isMuted])

  const beginDoorChange = (path: ChangePath, fields: Record<string, unknown>) =>
    beginChange(path, { ...fields, ...(pageId ? { pageId } : {}), ...(device ? { device } : {}) })
  const send = <T,>(path: ChangePath, fields: Record<string, unknown>) => sendChange<T>(beginDoorChange(path, fields))
  const changeTicket = <T,>(path: '/door/admit' | '/door/undo', ticketId: string, fields: Record<string, unknown> = {}) =>
    sendManualChange<T>(offline, ticketId, () => beginDoorChange(path, { ticketId, ...fields }))

  async function override(unlisted: UnlistedScan) {
    if (!offline) return
    // Replaces the result, so that its button cannot be tapped twice.
    const id = begin()
    settle(id, await letInAnyway(offline, unlisted, pageId || undefined))
  }

  /** Checks in a guest on the server. A device with a list stores the admission, because the list includes it only after an update. */
  async function admitGuest({ id }: Guest) {
    const sent = await changeTicket<ScanResponse>('/door/admit', id)
    if (sent.outcome === 'ok' && sent.data.kind === 'admitted') offline?.engine?.remember(id, { source: 'guest_list' })
    return sent
  }

  /** Sends a scan, or checks the ticket locally on a device with a list. @param target how such a device identifies the ticket */
  function scanTarget(path: ChangePath, fields: Record<string, unknown>, target: ScanTarget) {
    const scanChange = beginDoorChange(path, fields)
    if (!offline?.engine) return sendChange<ScanResponse>(scanChange)
    const request = { checkIn: !isPreviewMode, pageId: pageId || undefined, device, ...target }
    return sendScan(offline.engine, offline, scanChange, request, timeZone)
  }

  /**
   * Shows the result of a scan or a manual check-in. Closes the sheet, so that the result is visible, and shows the ticket in the side
   * panel.
   *
   * @param send sends the scan or the check-in
   * @param guest the guest of a manual check-in that only the server can make
   */
  async function submit(send: () => Promise<ChangeResult<ScanResponse> | { local: ShownOutcome }>, guest?: Guest) {
    const id = begin()
    const countEntry = beginEntry()
    panel.lower()
    let hasShownOffline = false
    const timer = setTimeout(() => {
      hasShownOffline = newestId() === id && settle(id, toOutcome({ outcome: 'offline' }, timeZone, guest))
    }, WAIT_MS)
    // If this device cannot store the scan, it must not admit the guest, because the scan would be lost.
    const sent = await send().catch(() => {
      offline?.reportStorageFailure()
      return { outcome: 'refused' as const, message: doorCopy.offline.problems.storage }
    })
    clearTimeout(timer)
    if ('local' in sent) {
      if (settle(id, sent.local)) panel.show(undefined)
      return
    }
    // The offline result is already shown.
    if (hasShownOffline && sent.outcome === 'offline') return
    const isNewest = settle(id, toOutcome(sent, timeZone, guest))
    if (sent.outcome !== 'ok') return
    countEntry(sent.data)
    if (guest) offline?.update()
    if (sent.data.kind === 'checked_out') refresh()
    if (!isNewest) return
    const { ticket } = sent.data
    if (ticket) {
      panel.showTicket(ticket.guest.id)
      loaded.show(ticket)
    } else panel.show(undefined)
  }

  const scan = (code: string, source: CodeSource) =>
    void submit(() => scanTarget('/door/scan', { code, source, checkIn: !isPreviewMode, ...direction }, { code, source, ...direction }))
  const admitFound = ({ name, ticketId, codeKey }: FoundGuest) =>
    void submit(() => scanTarget('/door/admit', { ticketId }, { name, ticketId, codeKey }))

  const openTicket = (id: string, from?: 'list') => raise({ view: 'ticket', id, from })
  function openList() {
    markSeen()
    raise({ view: 'list' })
  }
  function openSearch() {
    setTerm('')
    raise({ view: 'find' })
  }

  const actions: TicketActions = {
    admit: (guest) => void submit(() => admitGuest(guest), guest),
    async admitMany(guests) {
      const outcomes = await Promise.all(
        guests.map(async (guest) => {
          const countEntry = beginEntry()
          const sent = await admitGuest(guest)
          const outcome = toOutcome(sent, timeZone, guest)
          add(outcome)
          if (sent.outcome === 'ok') countEntry(sent.data)
          return [guest.id, outcome] as const
        }),
      )
      offline?.update()
      playSignal(outcomes.find(([, { kind }]) => kind !== 'admitted')?.[1].kind ?? 'admitted')
      loaded.reload()
      return new Map(outcomes)
    },
    async undo(guest, entry, reason) {
      const since = newestId()
      const fields = { sequence: entry?.sequence ?? 0, at: entry?.at, reason }
      const error = getErrorMessage(await changeTicket<ActionResponse>('/door/undo', guest.id, fields))
      // The connection may be lost before the list is updated.
      if (error === undefined) offline?.engine?.remember(guest.id, { hasLeft: guest.checkInStatus === 'CHECKEDIN' })
      if (maySearch) loaded.reload()
      refresh()
      offline?.update()
      const message = guest.checkInStatus === 'CHECKEDIN' ? doorCopy.undoneHint : doorCopy.checkOutUndoneHint
      if (error === undefined && show({ kind: 'undone', details: { ...toDetails(guest), message } }, since)) {
        panel.lower()
        // The open ticket is outdated, and this device may not load it again.
        if (!maySearch) panel.show(undefined)
      }
      return error
    },
    async note(guest, metadata) {
      const error = getErrorMessage(await send<ActionResponse>('/door/metadata', { ticketId: guest.id, metadata: [metadata] }))
      loaded.reload()
      return error
    },
  }

  function toggleCamera() {
    setCameraError(undefined)
    change({ usesCamera: !isCameraOn })
    if (isCameraOn) field.current?.focus()
  }

  const from = panelView && 'from' in panelView ? panelView.from : undefined
  return (
    <main className="grid h-dvh grid-rows-[minmax(0,1fr)] overflow-hidden lg:grid-cols-[minmax(0,1fr)_26rem]">
      <div className="flex min-h-0 min-w-0 flex-col">
        <TopBar
          events={events}
          timeZone={timeZone}
          allowsAll={allowsAll}
          pageId={pageId}
          onEvent={(next) => change({ pageId: next })}
          turnout={turnout}
          age={age}
          isConnected={isConnected}
          onMenu={() => raise({ view: 'menu' })}
        />
        {offline ? <OfflineBar offline={offline} timeZone={timeZone} isCameraOn={isCameraOn} /> : null}
        {!offline && props.onEnroll ? <EnrollBar onEnroll={props.onEnroll} /> : null}
        <div className="relative min-h-0 grow overflow-hidden">
          {isCameraOn && camera ? (
            <camera.Camera onCode={(code) => scan(code, 'camera')} onError={setCameraError} />
          ) : (
            <div className="absolute inset-x-0 top-0 flex h-2/5 flex-col items-center justify-center text-quiet">
              <ScanQrCode aria-hidden size={48} />
              <p className="mt-2 text-lg">{doorCopy.waiting}</p>
            </div>
          )}
          <Notices
            isCameraOn={isCameraOn}
            cameraError={cameraError}
            notices={[
              notice,
              capacity?.text,
              isPreviewMode ? doorCopy.previewModeOn : undefined,
              isScanningOut ? doorCopy.checkOutOn : undefined,
            ]}
            announcement={capacity?.announcement}
            conflict={conflict}
            onConflicts={openList}
            late={late}
          />
          <Result result={current} place={compareZones(timeZone)?.place}>
            <ResultActions
              result={current}
              others={loaded.ticket?.guest.id === current?.details?.ticketId ? loaded.ticket?.others.length : undefined}
              isInSidePanel={panelView?.view === 'ticket' && panelView.id === current?.details?.ticketId}
              onOpen={openTicket}
              onOverride={(unlisted) => void override(unlisted)}
              onFind={maySearch ? openSearch : undefined}
            />
          </Result>
        </div>
        <ScanBox field={field} isShown={!isCameraOn} onCode={scan} />
        <BottomBar isCameraOn={isCameraOn} onToggleCamera={toggleCamera} onFind={maySearch ? openSearch : undefined} onList={openList} />
      </div>

      <div className="flex min-w-0 flex-col gap-6 border-line max-lg:contents lg:overflow-y-auto lg:border-l lg:p-4">
        {panelView ? (
          <SidePanel
            title={getTitle(panelView, loaded.ticket?.guest.name)}
            isRaised={panel.isRaised}
            onClose={panel.close}
            onBack={from && (() => panel.show({ view: from }))}
            backLabel={from === 'list' ? doorCopy.backToList : doorCopy.back}
          >
            {panelView.view === 'list' ? (
              <Overview
                turnout={turnout}
                age={age}
                timeZone={timeZone}
                scans={scans}
                conflicts={conflicts}
                onOpen={(id) => openTicket(id, 'list')}
              />
            ) : content ? (
              <content.PanelContent
                {...props}
                panel={panelView}
                onPanel={panel.show}
                unsent={offline?.status?.unsent ?? 0}
                isOffline={offline?.status?.isOffline ?? false}
                findOffline={offline?.engine?.findGuests}
                isPreviewMode={isPreviewMode}
                onPreviewMode={setPreviewMode}
                term={term}
                onTerm={setTerm}
                ticketState={loaded}
                actions={actions}
                onCode={scan}
                onAdmitOffline={admitFound}
              >
                {props.account}
              </content.PanelContent>
            ) : (
              <p className="text-quiet text-sm">{doorCopy.loading}</p>
            )}
          </SidePanel>
        ) : null}
        {/* On phones, the overview is visible only in the list view. */}
        {panelView?.view === 'list' ? null : (
          <div className="max-lg:hidden">
            <Overview turnout={turnout} age={age} timeZone={timeZone} scans={scans} conflicts={conflicts} onOpen={openTicket} />
          </div>
        )}
      </div>
    </main>
  )
}

function getTitle(panel: NonNullable<Panel['view']>, guest: string | undefined): string {
  if (panel.view === 'ticket') return guest ?? doorCopy.ticketPanel
  if (panel.view === 'guest') return panel.guest.name
  return { find: doorCopy.find, list: doorCopy.list, menu: doorCopy.menu }[panel.view]
}
