/** Formats a member of a record as a label and a value. */
import { formatInstant } from '@/app/_components/cells'
import { formatMemberName } from '@/app/copy/format'
import { recordCopy } from '@/app/copy/record'
import { formatMoney, isAmount } from '@/lib/core/money'
import type { Member, Scalar } from './members'

export type EntryContext = {
  timeZone: string
  currency: string | undefined
  /** Checkout page names by ID. */
  pageNames: ReadonlyMap<string, string>
  /** Imported product names by ID. */
  productNames: ReadonlyMap<string, string>
  /** When the payment gateway last reported a failed payment, in ISO 8601. */
  failedAt?: string | undefined
}

export type Entry = {
  /** The member's path in the API, also used as the entry's key and as the label's tooltip. */
  path: string
  label: string
  text: string
  /** The exact timestamp, if the value is a time. */
  at?: string
  href?: string
  /** The text for the copy button next to the value. If absent, there is no button. */
  copy?: string
  /** The entries of related members. */
  details?: Entry[]
}

/** Returns the last member name in a path: `fees[0].amount` → `amount`, `transactionIds[1]` → `transactionIds`. */
const getMemberName = (path: string) => path.replace(/\[\d+\]$/, '').replace(/^.*\./, '')

const KNOWN_LABELS: Readonly<Record<string, string>> = recordCopy.members

/** Query parameters are labeled with their own names. */
const QUERY_PREFIX = 'queryParameters.'

/** Returns the label of the member at a path. */
export const formatLabel = (path: string) =>
  path.startsWith(QUERY_PREFIX)
    ? path.slice(QUERY_PREFIX.length)
    : (KNOWN_LABELS[path] ?? KNOWN_LABELS[getMemberName(path)] ?? formatMemberName(getMemberName(path)))

/** Returns whether the value is a timestamp in the format used in records. */
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))

const isPercent = (name: string) => /percent/i.test(name)
const isCopyable = (name: string) => /^id$|Ids?$|gateway/i.test(name) && name !== 'gateway'

/** Formats an amount in minor units. Members whose names end in `Usd` are in US dollars, all others in the record's currency. */
export const formatAmount = (path: string, value: number, { currency }: EntryContext) =>
  formatMoney(value, /usd$/i.test(path) ? 'usd' : currency)

const regionNames = new Intl.DisplayNames('en-US', { type: 'region' })

/** Returns the name of a country, or the input if it is not an ISO 3166 code. */
export function formatRegion(code: string): string {
  try {
    return regionNames.of(code) ?? code
  } catch {
    return code
  }
}

/** Formats a member's value. */
export function formatMember({ path, value }: Member, context: EntryContext): string {
  const name = getMemberName(path)
  if (typeof value === 'boolean') return value ? recordCopy.yes : recordCopy.no
  if (typeof value === 'number') {
    if (isPercent(name)) return `${value.toLocaleString('en-US', { maximumFractionDigits: 20 })}%`
    return isAmount(name) ? formatAmount(path, value, context) : String(value)
  }
  return formatString(path, name, value, context)
}

function formatString(path: string, name: string, value: string, context: EntryContext): string {
  const page = /pageIds?$/i.test(name) ? context.pageNames.get(value) : undefined
  // Integrations use the ID of an order's own checkout page, so only that page is shown with its ID.
  if (page) return name === 'pageId' ? `${page} (${value})` : page
  if (name === 'country') return formatRegion(value)
  // The spec writes each provider's name as `gateway`, so records can contain this word instead of a name.
  if (path === 'paymentMethod.gateway' && value === 'gateway') return recordCopy.unnamedGateway
  if (path === 'paymentMethod.gateway' || path === 'paymentMethod.wallet')
    return value.replaceAll('_', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  if (name === 'currency') return value.toUpperCase()
  return isInstant(value) ? formatInstant(value, context.timeZone) : value
}

export function makeEntry(member: Member, context: EntryContext): Entry {
  const { path, value } = member
  return {
    path,
    label: formatLabel(path),
    text: formatMember(member, context),
    ...(isInstant(value) ? { at: value } : {}),
    ...(typeof value === 'string' && isCopyable(getMemberName(path)) ? { copy: value } : {}),
  }
}

/** Returns the entries of the members that are defined. */
export const makeEntries = (members: (Member | undefined)[], context: EntryContext): Entry[] =>
  members.flatMap((member) => (member ? [makeEntry(member, context)] : []))

export const asText = (value: Scalar | undefined) => (typeof value === 'string' ? value : undefined)
export const asNumber = (value: Scalar | undefined) => (typeof value === 'number' ? value : undefined)
