/** Converts the customer form's fields to an API request body. The caller validates it with the operation's schema. */
import { readText } from '@/app/_components/form-state'

export const ADDRESS_FIELDS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const
export const TEXT_FIELDS = ['name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const

/**
 * Returns the body of the request that updates the customer. Empty fields are null, except for `email`, which is `''`. Empty address fields
 * are omitted, and an empty address is null.
 */
export function customerBody(form: FormData) {
  const address = Object.fromEntries(ADDRESS_FIELDS.flatMap((name) => (readText(form, name) ? [[name, readText(form, name)]] : [])))
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, readText(form, name) ?? null]))
  return { ...texts, email: readText(form, 'email') ?? '', address: Object.keys(address).length > 0 ? address : null }
}
