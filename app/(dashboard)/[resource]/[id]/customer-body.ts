/** Converts the customer form's fields to an API request body. The caller validates it with the operation's schema. */
import { isChanged, readOriginal, readText } from '@/app/_components/form-state'

export const ADDRESS_FIELDS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const
const TEXT_FIELDS = ['name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const
/** The form's fields, excluding the address. */
export const FIELDS = ['email', ...TEXT_FIELDS] as const

/** The editable members of a customer. */
export type EditableCustomer = Partial<Record<(typeof FIELDS)[number], string>> & {
  id: string
  email: string
  /** The ETag of the version being edited. */
  etag: string
  address?: Partial<Record<(typeof ADDRESS_FIELDS)[number], string>>
}

/**
 * Builds the request body for updating the customer. Empty fields are null, except for `email`, which is `''`. Empty address fields are
 * omitted, and an empty address is null. Unchanged members are omitted, because imported values might fail validation.
 */
export function buildCustomerBody(form: FormData) {
  // The address is replaced as a whole, so its unchanged fields are submitted with their original values.
  const readAddressField = (name: string) => (isChanged(form, name) ? readText(form, name) : readOriginal(form, name) || undefined)
  const address = Object.fromEntries(ADDRESS_FIELDS.flatMap((name) => (readAddressField(name) ? [[name, readAddressField(name)]] : [])))
  const texts = TEXT_FIELDS.filter((name) => isChanged(form, name)).map((name) => [name, readText(form, name) ?? null])
  return {
    ...Object.fromEntries(texts),
    ...(isChanged(form, 'email') ? { email: readText(form, 'email') ?? '' } : {}),
    ...(ADDRESS_FIELDS.some((name) => isChanged(form, name)) ? { address: Object.keys(address).length > 0 ? address : null } : {}),
  }
}
