/** Finds guests by name, email, order number or short ID as the user types. */
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { GuestMatches } from '@/lib/admission/find-guests'
import type { Guest } from '@/lib/admission/guests'
import type { CodeSource } from '@/lib/admission/scan-source'
import { doorCopy } from '../copy/door'
import { createKeystrokeTimer } from './code-source'
import { type DoorResult, fetchDoor } from './door-client'
import { GuestDetails, GuestName, GuestState } from './guest-line'
import type { FoundGuest, FoundGuests } from './offline/scan-request'
import { OfflineGuestLine } from './offline-guest'

const DEBOUNCE_MS = 250

type Props = {
  /** The event selected on the device; empty for all events. */
  pageId: string
  /** The search term. Stored in the parent, so that going back from a ticket restores it. */
  term: string
  onTerm: (term: string) => void
  onChoose: (ticketId: string) => void
  /** Whether the server is unreachable. */
  isOffline: boolean
  /** Searches the list on this device; undefined on devices without one. Resolves with undefined if the list has no searchable names. */
  findOffline: ((term: string, pageId: string | undefined) => Promise<FoundGuests | undefined>) | undefined
  onChooseOffline: (guest: FoundGuest) => void
  /** Called with text that matches no guest, because the user may have typed or scanned a code into the search field. */
  onCode: (code: string, source: CodeSource) => void
}

type SearchResult = DoorResult<GuestMatches> | { outcome: 'local'; data: FoundGuests }

/** Returns the status message, which screen readers announce. */
function describeResult(result: SearchResult | undefined): string {
  if (!result) return doorCopy.findHint
  if (result.outcome === 'offline') return doorCopy.findOffline
  if (result.outcome === 'refused') return result.message
  if (result.outcome === 'local') {
    const { guests, hasMore } = result.data
    if (guests.length === 0) return doorCopy.offline.findNobody
    return hasMore ? doorCopy.foundMore(guests.length) : doorCopy.found(guests.length)
  }
  const { guests, hasMore, isPartial } = result.data
  if (isPartial) return guests.length === 0 ? doorCopy.findNothingYet : doorCopy.findTooMany
  if (guests.length === 0) return doorCopy.findNobody
  return hasMore ? doorCopy.foundMore(guests.length) : doorCopy.found(guests.length)
}

export function FindGuest({ pageId, term, onTerm, onChoose, isOffline, findOffline, onChooseOffline, onCode }: Props) {
  const [result, setResult] = useState<SearchResult>()
  const [keystrokes] = useState(createKeystrokeTimer)
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const request = useRef<AbortController>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  /** Searches on the server, or on this device if the server is unreachable and the list has searchable names. */
  async function find(text: string, eventId: string, signal: AbortSignal): Promise<SearchResult> {
    // A list that cannot be read is treated like no list, so that the results of an earlier search do not stay on the screen.
    const findLocally = () => findOffline?.(text, eventId || undefined).catch(() => undefined)
    const listed = isOffline ? await findLocally() : undefined
    if (listed) return { outcome: 'local', data: listed }
    const sent = await fetchDoor<GuestMatches>('/door/find', { search: text, pageId: eventId }, signal)
    const local = sent.outcome === 'offline' && !isOffline ? await findLocally() : undefined
    return local ? { outcome: 'local', data: local } : sent
  }

  /** Searches for a term, and aborts the previous search. Returns undefined if the term is too short or a newer search has started. */
  async function search(text: string, eventId: string): Promise<SearchResult | undefined> {
    clearTimeout(timer.current)
    request.current?.abort()
    const controller = new AbortController()
    request.current = controller
    const trimmed = text.trim()
    const found = [...trimmed].length < 2 ? undefined : await find(trimmed, eventId, controller.signal)
    if (controller.signal.aborted) return undefined
    setResult(found)
    return found
  }

  const searchLatest = useEffectEvent((text: string, eventId: string) => void search(text, eventId))
  useEffect(() => {
    timer.current = setTimeout(() => searchLatest(term, pageId), DEBOUNCE_MS)
    return () => {
      clearTimeout(timer.current)
      request.current?.abort()
    }
  }, [term, pageId])
  useEffect(() => field.current?.focus(), [])

  /**
   * Opens the match if there is only one, and moves the focus to the first of several. If there is none, treats the input as a code,
   * because barcode scanners that act as keyboards press Enter after each scan. If the search fails, does so only if a scanner sent it.
   */
  async function submit(event: FormEvent) {
    event.preventDefault()
    const source = keystrokes.takeSource(term)
    const found = await search(term, pageId)
    const hasFailed = found?.outcome === 'offline' || found?.outcome === 'refused'
    if (!found || (hasFailed && source !== 'scanner')) return
    const [first, ...others] = hasFailed ? [] : found.data.guests
    if (!first) {
      onTerm('')
      onCode(term, source)
    } else if (others.length === 0) 'id' in first ? onChoose(first.id) : onChooseOffline(first)
    else list.current?.querySelector('button')?.focus()
  }

  const guests: (Guest | FoundGuest)[] = result?.outcome === 'ok' || result?.outcome === 'local' ? result.data.guests : []
  const hasFailed = result?.outcome === 'offline' || result?.outcome === 'refused'
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <label className="flex flex-col gap-1 text-sm">
        {doorCopy.findField}
        <input
          ref={field}
          type="search"
          className="field h-16 text-base"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          value={term}
          onKeyDown={({ nativeEvent }) => keystrokes.add(nativeEvent)}
          onChange={({ target: { value } }) => {
            if (value === '') keystrokes.clear()
            onTerm(value)
          }}
        />
      </label>
      <p role="status" className={`text-sm ${hasFailed ? 'text-bad' : 'text-quiet'}`}>
        {describeResult(result)}
      </p>
      {hasFailed ? (
        <button type="button" className="button h-16 self-start" onClick={() => search(term, pageId)}>
          {doorCopy.again}
        </button>
      ) : null}
      {guests.length > 0 ? (
        <ul ref={list} className="-mx-2 flex flex-col">
          {guests.map((guest) => (
            <li key={'id' in guest ? guest.id : guest.ticketId} className="border-line border-t first:border-t-0">
              <button
                type="button"
                className="flex min-h-16 w-full flex-col items-start rounded-md px-2 py-2.5 text-left hover:bg-hover"
                onClick={() => ('id' in guest ? onChoose(guest.id) : onChooseOffline(guest))}
              >
                <GuestName guest={guest} />
                {'id' in guest ? (
                  <>
                    <GuestDetails guest={guest} showEvent={pageId === ''} />
                    <GuestState guest={guest} />
                  </>
                ) : (
                  <OfflineGuestLine guest={guest} />
                )}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </form>
  )
}
