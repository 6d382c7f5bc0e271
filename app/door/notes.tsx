/** The notes on a ticket, which can be added, edited and removed. */
import { Pencil } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import type { MetadataEntry } from '@/lib/catalog/ticket'
import { doorCopy } from '../copy/door'
import { focusOnMount, returnFocus } from './focus'

/** A change to a ticket's notes. `key` is the note's name. A null `value` removes the note. */
export type NoteChange = { key: string; value: string | null }

type Props = {
  notes: MetadataEntry[]
  /** Whether the ticket has the maximum number of notes. */
  isFull: boolean
  /** Whether notes can be changed. False for canceled tickets, tickets for another event, and devices that may only scan codes. */
  isWritable: boolean
  /** Resolves with an error message, or undefined on success. */
  onNote: (change: NoteChange) => Promise<string | undefined>
}

export function Notes({ notes, isFull, isWritable, onNote }: Props) {
  const [editing, setEditing] = useState<string>()
  /** The note whose form was closed last. Its button gets the focus. */
  const [closed, setClosed] = useState<string>()
  const [error, setError] = useState<string>()
  const [isPending, setIsPending] = useState(false)

  function close() {
    setClosed(editing)
    setEditing(undefined)
    setError(undefined)
  }

  async function send(change: NoteChange): Promise<boolean> {
    setIsPending(true)
    const message = await onNote(change)
    setIsPending(false)
    if (message === undefined) close()
    else setError(message)
    return message === undefined
  }

  return (
    <section aria-labelledby="notes">
      <h3 id="notes" className="font-medium text-sm">
        {doorCopy.notes}
      </h3>
      {notes.length === 0 ? <p className="text-quiet text-sm">{doorCopy.noNotes}</p> : null}
      <ul className="mt-1">
        {notes.map((note) => (
          <li key={note.key} className="border-line border-t py-1 first:border-t-0">
            {editing === note.key ? (
              <EditNote note={note} isPending={isPending} onSend={send} onCancel={close} />
            ) : (
              <NoteLine note={note} isWritable={isWritable} wasEdited={closed === note.key} onEdit={() => setEditing(note.key)} />
            )}
          </li>
        ))}
      </ul>
      {error ? (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      ) : null}
      {isWritable && !isFull ? <AddNote isPending={isPending} onSend={send} /> : null}
      {isWritable && isFull ? <p className="text-quiet text-sm">{doorCopy.notesFull}</p> : null}
    </section>
  )
}

type NoteLineProps = { note: MetadataEntry; isWritable: boolean; wasEdited: boolean; onEdit: () => void }

function NoteLine({ note, isWritable, wasEdited, onEdit }: NoteLineProps) {
  const text = (
    <>
      <span className="wrap-anywhere text-quiet">{note.key}</span>
      <span className="wrap-anywhere">{note.value}</span>
    </>
  )
  const shape = 'grid w-full grid-cols-[2fr_3fr_auto] items-center gap-3 text-left text-sm'
  if (!isWritable) return <p className={`py-1.5 ${shape}`}>{text}</p>
  return (
    <button
      ref={wasEdited ? returnFocus : undefined}
      type="button"
      className={`min-h-16 rounded-md hover:bg-hover ${shape}`}
      onClick={onEdit}
    >
      {text}
      <Pencil aria-label={doorCopy.noteChange} role="img" size={16} className="text-quiet" />
    </button>
  )
}

/** `onSend` resolves with whether the change was made. */
type NoteFormProps = { isPending: boolean; onSend: (change: NoteChange) => Promise<boolean> }

function EditNote({ note, isPending, onSend, onCancel }: NoteFormProps & { note: MetadataEntry; onCancel: () => void }) {
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
          ref={focusOnMount}
          className="field h-16 text-base"
          autoComplete="off"
          maxLength={100}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </label>
      <div className="grid grid-cols-3 gap-2">
        <button type="button" className="button h-16" onClick={onCancel}>
          {doorCopy.noteCancel}
        </button>
        <PendingButton className="button h-16" pending={isPending} onClick={() => onSend({ key: note.key, value: null })}>
          {doorCopy.noteRemove}
        </PendingButton>
        <PendingButton type="submit" className="button-primary h-16" pending={isPending}>
          {doorCopy.noteSave}
        </PendingButton>
      </div>
    </form>
  )
}

function AddNote({ isPending, onSend }: NoteFormProps) {
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
        className="field h-16 min-w-0 text-base"
        aria-label={doorCopy.noteName}
        placeholder={doorCopy.noteName}
        autoComplete="off"
        required
        pattern=".*\S.*"
        maxLength={50}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <input
        className="field h-16 min-w-0 text-base"
        aria-label={doorCopy.noteText}
        placeholder={doorCopy.noteText}
        autoComplete="off"
        maxLength={100}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <PendingButton type="submit" className="button h-16" pending={isPending}>
        {doorCopy.noteAdd}
      </PendingButton>
    </form>
  )
}
