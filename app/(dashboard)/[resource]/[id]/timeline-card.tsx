/** The card with a record's timeline and notes. */
import { activityCopy } from '@/app/copy/activity'
import { recordCopy } from '@/app/copy/record'
import { MAX_ACTIVITY } from '@/lib/reports/activity'
import type { ResourceWithNotes } from '@/lib/sync/edit/notes'
import { DeleteNote, NoteForm } from './notes'
import { Card, Details } from './sections'
import { formatWhen, type TimelineEntry } from './timeline'

const DOT_COLORS: Record<TimelineEntry['kind'], string> = {
  record: 'bg-line',
  gateway: 'bg-line',
  change: 'bg-line',
  note: 'bg-accent',
  scan: 'bg-good',
  refusal: 'bg-bad',
  offline: 'bg-warn',
}

type Props = {
  entries: TimelineEntry[]
  resource: ResourceWithNotes
  /** The ID of the record. */
  id: string
  timeZone: string
}

export function TimelineCard({ entries, resource, id, timeZone }: Props) {
  const notes = entries.filter(({ kind }) => kind === 'note').length
  const others = entries.filter(({ kind }) => kind !== 'note' && kind !== 'record').length
  return (
    <Card id="history" title={recordCopy.history}>
      {Math.max(notes, others) >= MAX_ACTIVITY ? <p className="mt-2 text-quiet text-sm">{activityCopy.newest(MAX_ACTIVITY)}</p> : null}
      {/* The list receives the focus when a note is deleted. */}
      <ol tabIndex={-1} aria-labelledby="history" className="mt-2 flex flex-col gap-2 rounded text-sm">
        {entries.map((entry) => (
          <Row
            key={entry.key}
            entry={entry}
            showTicket={resource !== 'tickets'}
            timeZone={timeZone}
            isUpcoming={Date.parse(entry.at) > Date.now()}
          />
        ))}
      </ol>
      <NoteForm resource={resource} id={id} />
    </Card>
  )
}

type RowProps = { entry: TimelineEntry; showTicket: boolean; timeZone: string; isUpcoming: boolean }

/** @param showTicket whether to show the ticket's name */
function Row({ entry, showTicket, timeZone, isUpcoming }: RowProps) {
  const { kind, label, details, text, actor, ticket, noteId } = entry
  const { dateTime, time } = formatWhen(entry, timeZone)
  const source = [showTicket && ticket ? activityCopy.ticket(ticket) : undefined, actor].filter(Boolean).join(' · ')
  return (
    <li className="flex gap-2.5">
      <span aria-hidden className={`mt-2 size-2 shrink-0 rounded-full ${DOT_COLORS[kind]}`} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap justify-between gap-x-4">
          <span className={kind === 'refusal' ? 'text-bad' : ''}>
            {label}
            {isUpcoming ? <span className="ml-2 text-quiet text-xs">{recordCopy.upcoming}</span> : null}
          </span>
          <time dateTime={dateTime} title={dateTime} className="whitespace-nowrap text-quiet tabular-nums">
            {time}
          </time>
        </div>
        {text ? (
          <p dir="auto" className={`wrap-anywhere whitespace-pre-line ${kind === 'note' ? 'rounded-md bg-hover px-2 py-1' : 'text-quiet'}`}>
            {text}
          </p>
        ) : null}
        {source || noteId ? (
          <p className="wrap-anywhere flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-quiet">
            {source}
            {noteId ? <DeleteNote id={noteId} /> : null}
          </p>
        ) : null}
        <Details entries={details} />
      </div>
    </li>
  )
}
