/** Converts the customer form's fields to an API request body. The caller validates it with the operation's schema. */
import { readText } from '@/app/_components/form-state'

export const ADDRESS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const
export const TEXTS = ['name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const

/** Returns the body that updates a customer. Empty fields are null, an empty `email` is `''`, and empty address lines are omitted. */
export function customerBody(form: FormData) {
  const address = Object.fromEntries(ADDRESS.flatMap((name) => (readText(form, name) ? [[name, readText(form, name)]] : [])))
  const texts = Object.fromEntries(TEXTS.map((name) => [name, readText(form, name) ?? null]))
  return { ...texts, email: readText(form, 'email') ?? '', address: Object.keys(address).length > 0 ? address : null }
}
