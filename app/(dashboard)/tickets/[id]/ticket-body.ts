/** Converts the ticket form's fields to an API request body. The caller validates it with the operation's schema. */
import { isChanged, readText, toLine } from '@/app/_components/form-state'

/** The fields about the guest. */
const GUEST_FIELDS = ['customerName', 'customerEmail'] as const

/**
 * Returns the body that updates a ticket. Empty fields are null; a null value deletes a note. Members and notes that the user has not
 * changed are omitted: an imported value might not be one that a user may enter.
 */
export function ticketBody(form: FormData) {
  // The names of existing notes can contain surrounding spaces and line breaks, which browsers submit as CRLF.
  const existing = form.getAll('key').map((key) => String(key).replace(/\r\n?/g, '\n'))
  const keys = [...existing, ...form.getAll('newKey').map((key) => String(key).trim())]
  const [values, before] = ['value', 'before'].map((name) => form.getAll(name).map((value) => toLine(value).trim())) as [string[], string[]]
  const metadata = keys.flatMap((key, index) => {
    const value = values[index] ?? ''
    return key === '' || value === (before[index] ?? '') ? [] : [{ key, value: value === '' ? null : value }]
  })
  return {
    ...Object.fromEntries(GUEST_FIELDS.filter((name) => isChanged(form, name)).map((name) => [name, readText(form, name) ?? null])),
    ...(metadata.length > 0 ? { metadata } : {}),
  }
}
