/** Converts the ticket form's fields to an API request body. The caller validates it with the operation's schema. */
import { describeChanges, type FieldErrors, isChanged, readText, toLine } from '@/app/_components/form-state'
import { ticketCopy as copy } from '@/app/copy/ticket'

/** The members of a ticket that the form edits. A note is a metadata entry. */
export type EditableTicket = {
  id: string
  /** The ETag of the version that the user edits. */
  etag: string
  customerName?: string | undefined
  customerEmail?: string | undefined
  metadata: { key: string; value: string }[]
  /** Whether the ticket is canceled, in which case its notes cannot change. */
  isCanceled: boolean
}

/** The names of the fields about the guest. */
const GUEST_FIELDS = ['customerName', 'customerEmail'] as const

/** Returns the names of existing notes, which may contain surrounding spaces and line breaks. Browsers submit line breaks as CRLF. */
const readExistingKeys = (form: FormData) => form.getAll('key').map((key) => String(key).replace(/\r\n?/g, '\n'))

/** Returns the name of the new note, or an empty string if the user adds none. */
const readNewKey = (form: FormData) => String(form.get('newKey') ?? '').trim()

/** Returns whether an existing note already has the name of the new one. If so, the new note would replace the existing value. */
export const isNewNoteNameTaken = (form: FormData) => readExistingKeys(form).includes(readNewKey(form))

/** Returns whether only one of the new note's fields, its name and its value, is filled in. */
export const isNewNoteIncomplete = (form: FormData) =>
  (readNewKey(form) === '') !== (String(form.getAll('value')[readExistingKeys(form).length] ?? '').trim() === '')

/** Returns an error if the new note cannot be saved. */
export function findNoteErrors(form: FormData): FieldErrors {
  if (isNewNoteNameTaken(form)) return { metadata: copy.noteExists }
  return isNewNoteIncomplete(form) ? { metadata: copy.fieldErrors.metadata } : {}
}

const NOTE = 'note.'

/** Returns the name of a note's field in the notices of `describeTicketChanges`. */
export const noteField = (key: string) => NOTE + key

/** Returns the names of the notes that have a notice. */
export const listKeysWithNotice = (notices: FieldErrors) =>
  Object.keys(notices).flatMap((name) => (name.startsWith(NOTE) ? [name.slice(NOTE.length)] : []))

/** Returns a notice for each field that someone else has changed since the form was opened. See `describeChanges`. */
export function describeTicketChanges(
  form: FormData,
  { customerName, customerEmail, metadata }: Omit<EditableTicket, 'id' | 'etag' | 'isCanceled'>,
): FieldErrors {
  const fields = new FormData()
  for (const name of GUEST_FIELDS.flatMap((field) => [field, `original.${field}`])) fields.set(name, form.get(name) ?? '')
  const [values, before] = [form.getAll('value'), form.getAll('before')]
  for (const [index, key] of readExistingKeys(form).entries()) {
    fields.set(noteField(key), values[index] ?? '')
    fields.set(`original.${noteField(key)}`, before[index] ?? '')
  }
  const removed = readExistingKeys(form).map((key) => [noteField(key), ''])
  const notes = metadata.map(({ key, value }) => [noteField(key), value])
  return describeChanges(fields, { customerName, customerEmail, ...Object.fromEntries([...removed, ...notes]) })
}

/**
 * Returns the body that updates a ticket. Empty fields are null; the value null deletes a note. Members and notes that the user has not
 * changed are omitted, because an imported value may be one that users are not allowed to enter.
 */
export function ticketBody(form: FormData) {
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
