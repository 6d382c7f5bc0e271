/** Looks a guest up who has no ticket to show, as the name is typed. */
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Found } from '@/lib/admission/find-guests'
import { doorWords } from '../copy/door'
import { GuestFacts, GuestName, GuestState } from './guest-line'
import { readDoor, type Sent } from './send'

const DEBOUNCE_MS = 250

type Props = {
  pageId: string
  /** What was typed, kept above: coming back from a ticket finds it again. */
  term: string
  onTerm: (term: string) => void
  onChoose: (ticketId: string) => void
  /** What a scanner has typed here. */
  onCode: (code: string) => void
}

/** What is read out beside the list. */
function sayFound(read: Sent<Found> | undefined): string {
  if (!read) return doorWords.findHint
  if (read.outcome === 'offline') return doorWords.findOffline
  if (read.outcome === 'refused') return read.message
  const { guests, more } = read.answer
  if (guests.length === 0) return doorWords.findNobody
  return more ? doorWords.foundMore(guests.length) : doorWords.found(guests.length)
}

export function FindGuest({ pageId, term, onTerm, onChoose, onCode }: Props) {
  const [read, setRead] = useState<Sent<Found>>()
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const asked = useRef<AbortController>(undefined)
  const later = useRef<ReturnType<typeof setTimeout>>(undefined)

  /** Whatever was asked before is dropped: an answer that comes always belongs to what was typed last. */
  async function lookUp(typed: string, event: string): Promise<Sent<Found> | undefined> {
    clearTimeout(later.current)
    asked.current?.abort()
    const mine = new AbortController()
    asked.current = mine
    const wanted = typed.trim()
    const found = [...wanted].length < 2 ? undefined : await readDoor<Found>('/door/find', { search: wanted, pageId: event }, mine.signal)
    if (mine.signal.aborted) return undefined
    setRead(found)
    return found
  }

  const typed = useEffectEvent((text: string, event: string) => void lookUp(text, event))
  useEffect(() => {
    later.current = setTimeout(() => typed(term, pageId), DEBOUNCE_MS)
    return () => {
      clearTimeout(later.current)
      asked.current?.abort()
    }
  }, [term, pageId])
  useEffect(() => field.current?.focus(), [])

  /** Enter takes the one that was found. Where nobody was, a scanner has typed: what it read is a code. */
  async function submit(event: FormEvent) {
    event.preventDefault()
    const found = await lookUp(term, pageId)
    if (found?.outcome !== 'answered') return
    const { guests } = found.answer
    const [first] = guests
    if (!first) {
      onTerm('')
      onCode(term)
    } else if (guests.length === 1) onChoose(first.id)
    else list.current?.querySelector('button')?.focus()
  }

  const guests = read?.outcome === 'answered' ? read.answer.guests : []
  const failed = read !== undefined && read.outcome !== 'answered'
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <label className="flex flex-col gap-1 text-sm">
        {doorWords.findField}
        <input
          ref={field}
          type="search"
          className="field h-12 text-base"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          value={term}
          onChange={(event) => onTerm(event.target.value)}
        />
      </label>
      <p role="status" className={`text-sm ${failed ? 'text-bad' : 'text-quiet'}`}>
        {sayFound(read)}
      </p>
      {failed ? (
        <button type="button" className="button h-11 self-start" onClick={() => lookUp(term, pageId)}>
          {doorWords.again}
        </button>
      ) : null}
      {guests.length > 0 ? (
        <ul ref={list} className="-mx-2 flex flex-col">
          {guests.map((guest) => (
            <li key={guest.id} className="border-line border-t first:border-t-0">
              <button
                type="button"
                className="flex w-full flex-col items-start rounded-md px-2 py-2.5 text-left hover:bg-hover"
                onClick={() => onChoose(guest.id)}
              >
                <GuestName guest={guest} />
                <GuestFacts guest={guest} withEvent={pageId === ''} />
                <GuestState guest={guest} />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </form>
  )
}
