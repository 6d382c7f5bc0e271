/** Reads the fields of the customer form as the body of the API's request. It is validated by the operation's schema. */

export const ADDRESS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const
export const TEXTS = ['name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const

/** Returns the text of a field, or null if it is empty. */
const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim() || null

/** Returns the members of a customer that the form shows, with null for those without a value. */
export function customerBody(form: FormData) {
  const address = Object.fromEntries(ADDRESS.flatMap((name) => (textOf(form, name) === null ? [] : [[name, textOf(form, name)]])))
  const texts = Object.fromEntries(TEXTS.map((name) => [name, textOf(form, name)]))
  return { ...texts, email: textOf(form, 'email') ?? '', address: Object.keys(address).length > 0 ? address : null }
}
