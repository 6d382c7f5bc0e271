/** What is noted on a ticket: read, added, changed and removed at the door. */
import { Pencil } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { MetadataEntry } from '@/lib/catalog/ticket'
import { doorWords } from '../copy/door'
import { focusField } from './focus-field'

export type NoteChange = { key: string; value: string | null }

type Props = {
  notes: MetadataEntry[]
  /** Whether the ticket holds as many as it may. */
  full: boolean
  /** A canceled ticket, or one of another event, takes none. */
  writable: boolean
  /** Resolves with a sentence where it could not be done. */
  onNote: (change: NoteChange) => Promise<string | undefined>
}

export function Notes({ notes, full, writable, onNote }: Props) {
  const [editing, setEditing] = useState<string>()
  const [complaint, setComplaint] = useState<string>()
  const [pending, setPending] = useState(false)

  async function send(change: NoteChange): Promise<boolean> {
    setPending(true)
    const refusal = await onNote(change)
    setPending(false)
    setComplaint(refusal)
    if (refusal === undefined) setEditing(undefined)
    return refusal === undefined
  }

  return (
    <section aria-labelledby="notes">
      <h3 id="notes" className="font-medium text-sm">
        {doorWords.notes}
      </h3>
      {notes.length === 0 ? <p className="text-quiet text-sm">{doorWords.noNotes}</p> : null}
      <ul className="mt-1">
        {notes.map((note) => (
          <li key={note.key} className="border-line border-t py-1 first:border-t-0">
            {editing === note.key ? (
              <EditNote note={note} pending={pending} onSend={send} onCancel={() => setEditing(undefined)} />
            ) : (
              <NoteLine note={note} writable={writable} onEdit={() => setEditing(note.key)} />
            )}
          </li>
        ))}
      </ul>
      {complaint ? (
        <p role="alert" className="text-bad text-sm">
          {complaint}
        </p>
      ) : null}
      {writable && !full ? <AddNote pending={pending} onSend={send} /> : null}
      {writable && full ? <p className="text-quiet text-sm">{doorWords.notesFull}</p> : null}
    </section>
  )
}

function NoteLine({ note, writable, onEdit }: { note: MetadataEntry; writable: boolean; onEdit: () => void }) {
  const text = (
    <>
      <span className="wrap-anywhere text-quiet">{note.key}</span>
      <span className="wrap-anywhere">{note.value}</span>
    </>
  )
  const shape = 'grid w-full grid-cols-[2fr_3fr_auto] items-center gap-3 text-left text-sm'
  if (!writable) return <p className={`py-1.5 ${shape}`}>{text}</p>
  return (
    <button type="button" className={`min-h-11 rounded-md hover:bg-hover ${shape}`} onClick={onEdit}>
      {text}
      <Pencil aria-label={doorWords.noteChange} role="img" size={16} className="text-quiet" />
    </button>
  )
}

type Send = { pending: boolean; onSend: (change: NoteChange) => Promise<boolean> }

function EditNote({ note, pending, onSend, onCancel }: Send & { note: MetadataEntry; onCancel: () => void }) {
  const [value, setValue] = useState(note.value)
  function submit(event: FormEvent) {
    event.preventDefault()
    void onSend({ key: note.key, value })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 py-1">
      <label className="flex flex-col gap-1 text-sm">
        <span className="wrap-anywhere">{note.key}</span>
        <input
          ref={focusField}
          className="field h-11 text-base"
          autoComplete="off"
          maxLength={100}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </label>
      <div className="grid grid-cols-3 gap-2">
        <button type="button" className="button h-11" onClick={onCancel}>
          {doorWords.noteCancel}
        </button>
        <button type="button" className="button h-11" disabled={pending} onClick={() => onSend({ key: note.key, value: null })}>
          {doorWords.noteRemove}
        </button>
        <button type="submit" className="button-primary h-11" disabled={pending}>
          {doorWords.noteSave}
        </button>
      </div>
    </form>
  )
}

function AddNote({ pending, onSend }: Send) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!(await onSend({ key: key.trim(), value }))) return
    setKey('')
    setValue('')
  }
  return (
    <form onSubmit={submit} className="mt-2 grid grid-cols-[2fr_3fr_auto] gap-2">
      <input
        className="field h-11 min-w-0 text-base"
        aria-label={doorWords.noteName}
        placeholder={doorWords.noteName}
        autoComplete="off"
        required
        pattern=".*\S.*"
        maxLength={50}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <input
        className="field h-11 min-w-0 text-base"
        aria-label={doorWords.noteText}
        placeholder={doorWords.noteText}
        autoComplete="off"
        maxLength={100}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <button type="submit" className="button h-11" disabled={pending}>
        {doorWords.noteAdd}
      </button>
    </form>
  )
}
