/** Converts the ticket form's fields to an API request body. The caller validates it with the operation's schema. */
import { describeChanges, type FieldErrors, isChanged, readText, toLine } from '@/app/_components/form-state'
import { ticketCopy as copy } from '@/app/copy/ticket'

/** The editable members of a ticket. A note is a metadata entry. */
export type EditableTicket = {
  id: string
  /** The ETag of the version being edited. */
  etag: string
  customerName?: string | undefined
  customerEmail?: string | undefined
  metadata: { key: string; value: string }[]
  /** Whether the ticket is canceled. The notes of a canceled ticket cannot change. */
  isCanceled: boolean
}

/** The names of the guest's fields. */
const GUEST_FIELDS = ['customerName', 'customerEmail'] as const

/** Returns the names of existing notes, which may contain surrounding spaces and line breaks. Browsers submit line breaks as CRLF. */
const readExistingKeys = (form: FormData) => form.getAll('key').map((key) => String(key).replace(/\r\n?/g, '\n'))

/** Returns the name of the new note, or an empty string if the user adds none. */
const readNewKey = (form: FormData) => String(form.get('newKey') ?? '').trim()

/** Returns whether an existing note already has the name of the new one. If so, the new note would replace the existing value. */
export const isNewNoteNameTaken = (form: FormData) => readExistingKeys(form).includes(readNewKey(form))

/** Returns whether only the name or only the value of the new note is filled in. */
export const isNewNoteIncomplete = (form: FormData) =>
  (readNewKey(form) === '') !== (String(form.getAll('value')[readExistingKeys(form).length] ?? '').trim() === '')

/** Returns an error if the new note cannot be saved. */
export function findNoteErrors(form: FormData): FieldErrors {
  if (isNewNoteNameTaken(form)) return { metadata: copy.noteExists }
  return isNewNoteIncomplete(form) ? { metadata: copy.fieldErrors.metadata } : {}
}

const NOTE_PREFIX = 'note.'

/** Returns the name of a note's field in the notices of `describeTicketChanges`. */
export const toNoteField = (key: string) => NOTE_PREFIX + key

/** Returns the names of the notes that have a notice. */
export const listKeysWithNotice = (notices: FieldErrors) =>
  Object.keys(notices).flatMap((name) => (name.startsWith(NOTE_PREFIX) ? [name.slice(NOTE_PREFIX.length)] : []))

/** Returns a notice for each field that someone else has changed since the form was opened. See `describeChanges`. */
export function describeTicketChanges(
  form: FormData,
  { customerName, customerEmail, metadata }: Omit<EditableTicket, 'id' | 'etag' | 'isCanceled'>,
): FieldErrors {
  const fields = new FormData()
  for (const name of GUEST_FIELDS.flatMap((field) => [field, `original.${field}`])) fields.set(name, form.get(name) ?? '')
  const [values, before] = [form.getAll('value'), form.getAll('before')]
  for (const [index, key] of readExistingKeys(form).entries()) {
    fields.set(toNoteField(key), values[index] ?? '')
    fields.set(`original.${toNoteField(key)}`, before[index] ?? '')
  }
  const clearedNotes = readExistingKeys(form).map((key) => [toNoteField(key), ''])
  const notes = metadata.map(({ key, value }) => [toNoteField(key), value])
  return describeChanges(fields, { customerName, customerEmail, ...Object.fromEntries([...clearedNotes, ...notes]) })
}

/**
 * Builds the request body for updating a ticket. Empty fields are null; the value null deletes a note. Unchanged members and notes are
 * omitted, because imported values might fail validation.
 */
export function buildTicketBody(form: FormData) {
  const [values, before] = ['value', 'before'].map((name) => form.getAll(name).map((value) => toLine(value).trim())) as [string[], string[]]
  const metadata = [...readExistingKeys(form), readNewKey(form)].flatMap((key, index) => {
    const value = values[index] ?? ''
    return key === '' || value === (before[index] ?? '') ? [] : [{ key, value: value === '' ? null : value }]
  })
  return {
    ...Object.fromEntries(GUEST_FIELDS.filter((name) => isChanged(form, name)).map((name) => [name, readText(form, name) ?? null])),
    ...(metadata.length > 0 ? { metadata } : {}),
  }
}
