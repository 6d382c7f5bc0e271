/** Converts the ticket form's fields to an API request body. The caller validates it with the operation's schema. */
import { readText } from '@/app/_components/form-state'

/** Returns the body that updates a ticket. Empty fields are null; a null value deletes a note. Notes that did not change are omitted. */
export function ticketBody(form: FormData) {
  const keys = form.getAll('key').map((key) => String(key).trim())
  const values = form.getAll('value').map((value) => String(value).trim())
  const before = form.getAll('before').map(String)
  const metadata = keys.flatMap((key, index) => {
    const value = values[index] ?? ''
    return key === '' || value === (before[index] ?? '') ? [] : [{ key, value: value === '' ? null : value }]
  })
  return {
    customerName: readText(form, 'customerName') ?? null,
    customerEmail: readText(form, 'customerEmail') ?? null,
    ...(metadata.length > 0 ? { metadata } : {}),
  }
}
