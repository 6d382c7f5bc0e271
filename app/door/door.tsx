'use client'
/** The door: scans however they come in, what they led to, guests without a ticket, and how many are in. */
import { useCallback, useRef, useState } from 'react'
import type { Page } from '@/lib/accounts/pages'
import type { Guest } from '@/lib/admission/guests'
import type { Turnout } from '@/lib/admission/turnout'
import { doorWords } from '../copy/door'
import type { DeskAnswer, ScanAnswer } from './answers'
import { Camera, type CameraTrouble } from './camera'
import { Desk } from './desk'
import { FindGuest } from './find-guest'
import { readyField } from './focus-field'
import { NotOpened } from './not-opened'
import { Result } from './result'
import { ResultDeeds } from './result-deeds'
import { ScanBox } from './scan-box'
import { type ChangePath, type Sent, sendChange } from './send'
import { SettingsBar } from './settings-bar'
import type { Shown, ShownKind } from './shown'
import { playSignal } from './signals'
import { LastScans, TurnoutByType } from './tally'
import { type TicketDeeds, TicketPanel } from './ticket-panel'
import { useOpened } from './use-opened'
import { useScans } from './use-scans'
import { useSettings } from './use-settings'
import { useTurnout } from './use-turnout'

/** What stands on the desk. */
type OnDesk = { view: 'find' } | { view: 'ticket'; id: string; found: boolean }

/** What the door shows of a guest whom it knows from the desk. */
const known = ({ id, name, type, order, shortId }: Guest) => ({ ticketId: id, guest: name, type, order, shortId })

function outcomeOf(sent: Sent<ScanAnswer>, guest?: Guest): { kind: ShownKind; answer?: Shown['answer'] } {
  const who = guest ? known(guest) : {}
  if (sent.outcome === 'answered') {
    const { kind, message, ticket } = sent.answer
    return { kind, answer: { message, ...(ticket ? known(ticket.guest) : {}) } }
  }
  return sent.outcome === 'offline' ? { kind: 'offline', answer: who } : { kind: 'failed', answer: { ...who, message: sent.message } }
}

/** Why an undo or a note was not done, for a person; undefined where it was. */
function refusalOf(sent: Sent<DeskAnswer>): string | undefined {
  if (sent.outcome === 'offline') return doorWords.changeOffline
  if (sent.outcome === 'refused') return sent.message
  return sent.answer.done ? undefined : sent.answer.message
}

export function Door({ pages, turnout: initial, mayUndo }: { pages: Page[]; turnout: Turnout; mayUndo: boolean }) {
  const [settings, change] = useSettings(pages.map(({ id }) => id))
  const { pageId, device } = settings
  const [lookOnly, setLookOnly] = useState(false)
  const [camera, setCamera] = useState<'off' | 'on' | CameraTrouble>('off')
  const [onDesk, setOnDesk] = useState<OnDesk>()
  const [raised, setRaised] = useState(false)
  const [term, setTerm] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const opener = useRef<Element>(null)
  const { scans, shown, late, begin, settle, add, mark, show } = useScans()
  const { turnout, countEntry, refresh } = useTurnout(initial, pageId)
  const opened = useOpened(onDesk?.view === 'ticket' ? onDesk.id : undefined, pageId)

  const send = <T,>(path: ChangePath, what: Record<string, unknown>) =>
    sendChange<T>(path, { ...what, ...(pageId ? { pageId } : {}), ...(device ? { device } : {}) })

  /** Counts a guest who has just come in, without asking the server. */
  const count = ({ entered, ticket }: ScanAnswer) => entered && countEntry(ticket?.guest.typeId ?? '')

  /** A new scan comes first: the sheet goes down for its answer to be seen, and the desk shows its ticket. */
  async function ask(path: ChangePath, what: Record<string, unknown>, guest?: Guest) {
    const id = begin()
    lower()
    window.scrollTo({ top: 0 })
    const sent = await send<ScanAnswer>(path, what)
    const newest = settle(id, outcomeOf(sent, guest))
    if (sent.outcome !== 'answered') return
    count(sent.answer)
    if (!newest) return
    const { ticket } = sent.answer
    setOnDesk(
      (before) =>
        ticket && {
          view: 'ticket',
          id: ticket.guest.id,
          found: before?.view === 'ticket' && before.id === ticket.guest.id && before.found,
        },
    )
    if (ticket) opened.show(ticket)
  }

  const scan = (code: string) => void ask('/door/scan', { code, checkIn: !lookOnly })

  function raise(next: OnDesk) {
    opener.current = document.activeElement
    setOnDesk(next)
    setRaised(true)
  }
  const open = (id: string) => raise({ view: 'ticket', id, found: false })
  function find() {
    setTerm('')
    raise({ view: 'find' })
  }

  /** The sheet goes down, and what had the focus in it gives it back to the scanner. */
  function lower() {
    if (document.activeElement?.closest('[data-desk]')) readyField(field.current)
    setRaised(false)
  }

  const close = useCallback(() => {
    setRaised(false)
    setOnDesk(undefined)
    const back = opener.current
    if (back instanceof HTMLElement && back.isConnected && back !== document.body) back.focus()
    else readyField(field.current)
  }, [])

  const deeds: TicketDeeds = {
    admit: (guest) => void ask('/door/admit', { ticketId: guest.id }, guest),
    async admitMany(guests) {
      const kinds = await Promise.all(
        guests.map(async (guest) => {
          const sent = await send<ScanAnswer>('/door/admit', { ticketId: guest.id })
          const outcome = outcomeOf(sent, guest)
          add(outcome)
          if (sent.outcome === 'answered') count(sent.answer)
          return [guest.id, outcome.kind] as const
        }),
      )
      playSignal(kinds.find(([, kind]) => kind !== 'admitted')?.[1] ?? 'admitted')
      opened.reload()
      return new Map(kinds)
    },
    async undo(guest, sequence, reason) {
      const since = mark()
      const refusal = refusalOf(await send<DeskAnswer>('/door/undo', { ticketId: guest.id, sequence, reason }))
      opened.reload()
      refresh()
      if (refusal === undefined && show({ kind: 'undone', answer: known(guest) }, since)) lower()
      return refusal
    },
    async note(guest, metadata) {
      const refusal = refusalOf(await send<DeskAnswer>('/door/metadata', { ticketId: guest.id, metadata: [metadata] }))
      opened.reload()
      return refusal
    },
  }

  return (
    <main className="grid grow content-start gap-4 lg:grid-cols-[minmax(0,1fr)_26rem] lg:content-stretch">
      {/* All of it in the first screen, the answer as large as it can be; on a wide one it stays there. */}
      <div className="flex flex-col gap-3 max-lg:min-h-[calc(100svh-4rem)] lg:sticky lg:top-3 lg:h-[calc(100dvh-4.5rem)] lg:min-h-120">
        <SettingsBar pages={pages} settings={settings} change={change} onDone={() => readyField(field.current)} />
        <Result shown={shown}>
          <ResultDeeds
            shown={shown}
            others={opened.ticket?.guest.id === shown?.answer?.ticketId ? opened.ticket?.others.length : undefined}
            onDesk={onDesk?.view === 'ticket' && onDesk.id === shown?.answer?.ticketId}
            onOpen={open}
            onFind={find}
          />
        </Result>
        {late && late.kind !== 'checking' ? (
          <p role="status" className="text-center text-sm">
            {doorWords.earlier}: <strong>{doorWords.outcomes[late.kind]}</strong> {late.answer?.guest}
          </p>
        ) : null}
        {camera === 'on' ? <Camera onCode={scan} onTrouble={setCamera} /> : null}
        {camera !== 'on' && camera !== 'off' ? (
          <p role="alert" className="text-bad text-sm">
            {doorWords.cameraTrouble[camera]}
          </p>
        ) : null}
        <ScanBox field={field} onCode={scan} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <button type="button" className="button h-11" onClick={() => setCamera(camera === 'on' ? 'off' : 'on')}>
            {camera === 'on' ? doorWords.cameraOff : doorWords.camera}
          </button>
          <button type="button" className="button h-11" onClick={find}>
            {doorWords.find}
          </button>
          <label className="flex min-h-11 items-center gap-2">
            <input type="checkbox" className="size-5" checked={lookOnly} onChange={(event) => setLookOnly(event.target.checked)} />
            {doorWords.lookOnly}
          </label>
          <span className="ml-auto tabular-nums" data-turnout>
            {doorWords.inside(turnout.inside, turnout.sold)}
          </span>
        </div>
      </div>

      <div className="flex min-w-0 flex-col gap-6">
        {onDesk ? (
          <Desk
            title={onDesk.view === 'find' ? doorWords.find : (opened.ticket?.guest.name ?? doorWords.desk)}
            raised={raised}
            onClose={close}
            onBack={onDesk.view === 'ticket' && onDesk.found ? () => setOnDesk({ view: 'find' }) : undefined}
          >
            {onDesk.view === 'find' ? (
              <FindGuest
                pageId={pageId}
                term={term}
                onTerm={setTerm}
                onChoose={(id) => setOnDesk({ view: 'ticket', id, found: true })}
                onCode={scan}
              />
            ) : opened.ticket ? (
              <TicketPanel key={onDesk.id} ticket={opened.ticket} pageId={pageId} lookOnly={lookOnly} mayUndo={mayUndo} deeds={deeds} />
            ) : (
              <NotOpened trouble={opened.trouble} onAgain={opened.reload} />
            )}
          </Desk>
        ) : null}
        <TurnoutByType types={turnout.types} />
        <LastScans scans={scans} onOpen={open} />
      </div>
    </main>
  )
}
