/** Replaces personal data in records and in copies of them. IDs, amounts and dates are kept. */
import type { JsonObject } from './rewrite'

export const ERASED = 'Erased'

/** Returns the email address that replaces a person's. No mail can be sent to it (RFC 2606). */
export const erasedEmail = (customerId: string) => `erased-${customerId}@erased.invalid`

const PLACEHOLDER = /^erased-([0-9a-f]{24})@erased\.invalid$/

/** Returns the ID of the erased customer from an email address that replaced theirs, or undefined for any other address. */
export const parseErasedId = (email: unknown): string | undefined => (typeof email === 'string' ? PLACEHOLDER.exec(email)?.[1] : undefined)

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a copy of an object with its members replaced by a function. A member is removed if the function returns undefined. */
const mapMembers = (object: JsonObject, replace: (name: string, value: unknown) => unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const replaced = replace(name, value)
      return replaced === undefined ? [] : [[name, replaced]]
    }),
  )

/** The members with personal data in a customer, in billing details and in shipping details. */
const PERSONAL = ['email', 'billingEmail', 'name', 'companyName', 'phone', 'taxId', 'taxIdType', 'address']

/** Redacts a customer, or the billing or shipping details of an order. */
const redactPerson = (person: JsonObject, email: string): JsonObject =>
  mapMembers(person, (name, value) => {
    if (name === 'email' || name === 'billingEmail') return email
    if (name === 'name') return ERASED
    if (name === 'shipping') return isObject(value) ? redactPerson(value, email) : undefined
    return PERSONAL.includes(name) ? undefined : value
  })

/** Redacts a record of any resource. @param email the address that replaces the person's */
export function redactRecord(record: JsonObject, email: string): JsonObject {
  // Only a customer has its email address at the top level.
  if (typeof record.email === 'string') return redactPerson(record, email)
  return mapMembers(record, (name, value) => {
    if (name === 'customerEmail') return email
    if (name === 'customerName') return ERASED
    if (name === 'billing' || name === 'shipping') return isObject(value) ? redactPerson(value, email) : undefined
    if (name === 'queryParameters') return undefined
    if (name === 'fields' && Array.isArray(value)) return value.map((field) => (isObject(field) ? redactField(field) : field))
    return value
  })
}

const redactField = (field: JsonObject): JsonObject => mapMembers(field, (name, value) => (name === 'value' ? ERASED : value))

/** Matches the names of members of Stripe's objects that contain personal data. Stripe allows null for each of them. */
const STRIPE_PERSONAL =
  /^(billing_details|shipping|shipping_details|receipt_email|customer_(email|name|phone|address|shipping|tax_ids|details)|individual_name|business_name|email|phone|address|tax_ids|payer_(email|name)|verified_(name|email|phone|address)|account_holder_name|cardholder_name)$/

const isCustomer = (value: unknown) => isObject(value) && value.object === 'customer'

/**
 * Redacts the payload of a Stripe event, or a part of it.
 *
 * @param isOfCustomer whether `value` contains attributes of a customer
 */
export function redactStripe(value: unknown, isOfCustomer = isCustomer(value)): unknown {
  if (Array.isArray(value)) return value.map((item) => redactStripe(item))
  if (!isObject(value)) return value
  return mapMembers(value, (name, inner) => {
    if (STRIPE_PERSONAL.test(name) || (isOfCustomer && (name === 'name' || name === 'description'))) return null
    return name === 'previous_attributes' ? redactStripe(inner, isCustomer(value.object)) : redactStripe(inner)
  })
}

/** Yields every string in a value. */
export function* walkTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* walkTexts(item)
}

/** The members of an address that identify a person. A city or a country does not. */
const STREET = ['line1', 'line2']

function* personTexts(person: unknown): Generator<string> {
  if (!isObject(person)) return
  for (const name of PERSONAL) {
    const value = person[name]
    if (name === 'taxIdType') continue
    if (name === 'address' && isObject(value)) for (const line of STREET) yield* walkTexts(value[line])
    else yield* walkTexts(value)
  }
  yield* personTexts(person.shipping)
}

/** The minimum number of characters of an identifying text. Shorter ones would occur in other texts by chance. */
const MIN_LENGTH = 3

/** Returns the texts in a record that identify a person: names, email and street addresses, phone numbers and tax IDs. */
export function identifyingTexts(record: JsonObject): Set<string> {
  const texts = [
    ...(typeof record.email === 'string' ? personTexts(record) : []),
    ...walkTexts(record.customerEmail),
    ...walkTexts(record.customerName),
    ...personTexts(record.billing),
    ...personTexts(record.shipping),
  ]
  return new Set(
    texts.map((text) => text.trim()).filter((text) => [...text].length >= MIN_LENGTH && text !== ERASED && !parseErasedId(text)),
  )
}

/** Matches the names of members that are not redacted: IDs, dates and enumerations. A person's name could be the same as a status. */
const PRESERVED = /^(id|object|kind|status|checkInStatus|method|type|currency|\w+Id|\w+At)$/

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Scripts in which words, or a name and the particle after it, are not separated by spaces. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]'
/** Matches a letter or digit that would make an adjacent text part of a longer word. */
const WORD = `[[\\p{L}\\p{N}]--${UNSPACED}]`
const [STARTS_UNSPACED, ENDS_UNSPACED] = [new RegExp(`^${UNSPACED}`, 'v'), new RegExp(`${UNSPACED}$`, 'v')]

/** Returns a pattern that matches a text as a whole word. The end of a longer email address, such as lee@… in ann.lee@…, is not one. */
function wholeWord(text: string): string {
  const start = STARTS_UNSPACED.test(text) ? '' : `(?<!${WORD}${text.includes('@') ? '[._+\\-]?' : ''})`
  return `${start}${escapeRegExp(text)}${ENDS_UNSPACED.test(text) ? '' : `(?!${WORD})`}`
}

/** Returns a function that replaces identifying texts, as whole words in any letter case, in every text of a value. */
export function createTextRedactor(texts: Iterable<string>): (value: unknown) => unknown {
  // Longer texts come first, so that a name does not match inside an email address that contains it.
  const words = [...texts].sort((a, b) => b.length - a.length).map(wholeWord)
  if (words.length === 0) return (value) => value
  const pattern = new RegExp(words.join('|'), 'giv')
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(pattern, ERASED)
    if (Array.isArray(value)) return value.map(redact)
    return isObject(value) ? mapMembers(value, (name, inner) => (PRESERVED.test(name) ? inner : redact(inner))) : value
  }
  return redact
}

/** Redacts a record that is written after the erasure, including its identifying texts wherever they occur in its other texts. */
export const redactLaterRecord = (record: JsonObject, email: string): JsonObject =>
  createTextRedactor(identifyingTexts(record))(redactRecord(record, email)) as JsonObject
