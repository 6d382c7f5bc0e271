/** Reads the fields of the ticket form as the body of the API's request. It is validated by the operation's schema. */
import { readText } from '@/app/_components/form-state'

/** Returns the members that the form shows. Notes without a value are deleted; those that do not change are left out. */
export function ticketBody(form: FormData) {
  const keys = form.getAll('key').map((key) => String(key).trim())
  const values = form.getAll('value').map((value) => String(value).trim())
  const before = form.getAll('before').map(String)
  const metadata = keys.flatMap((key, at) => {
    const value = values[at] ?? ''
    return key === '' || value === (before[at] ?? '') ? [] : [{ key, value: value === '' ? null : value }]
  })
  return {
    customerName: readText(form, 'customerName') ?? null,
    customerEmail: readText(form, 'customerEmail') ?? null,
    ...(metadata.length > 0 ? { metadata } : {}),
  }
}
