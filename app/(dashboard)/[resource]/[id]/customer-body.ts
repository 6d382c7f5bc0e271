/** Reads the fields of the customer form as the body of the API's request. It is validated by the operation's schema. */
import { readText } from '@/app/_components/form-state'

export const ADDRESS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const
export const TEXTS = ['name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const

/** Returns the members of a customer that the form shows, with null for those without a value. */
export function customerBody(form: FormData) {
  const address = Object.fromEntries(ADDRESS.flatMap((name) => (readText(form, name) ? [[name, readText(form, name)]] : [])))
  const texts = Object.fromEntries(TEXTS.map((name) => [name, readText(form, name) ?? null]))
  return { ...texts, email: readText(form, 'email') ?? '', address: Object.keys(address).length > 0 ? address : null }
}
