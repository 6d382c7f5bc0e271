/** A record's member as its page shows it: a name and a value in words. */
import { formatInstant } from '@/app/_components/cells'
import { recordWords } from '@/app/copy/record'
import { formatMoney, isAmount } from '@/lib/core/money'
import type { Member, Scalar } from './members'

export type EntryContext = { timeZone: string; currency: string | undefined; pageNames: ReadonlyMap<string, string> }

export type Entry = {
  /** The member's path in the API: it is the key, and told to who points at the label. */
  path: string
  label: string
  text: string
  /** The exact instant, for a time. */
  at?: string
  href?: string
  /** What a button beside it copies. */
  copy?: string
  /** What else belongs to it. */
  details?: Entry[]
}

/** The name at a path's end: `fees[0].amount` has `amount`, `transactionIds[1]` has `transactionIds`. */
const nameOf = (path: string) => path.replace(/\[\d+\]$/, '').replace(/^.*\./, '')

/** `gatewayTaxCalculationId` as `Gateway tax calculation id`. */
function humanise(name: string): string {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase()
}

const KNOWN: Readonly<Record<string, string>> = recordWords.members

/** A page's own parameter is called what the page called it. */
const QUERY = 'queryParameters.'

export const labelOf = (path: string) =>
  path.startsWith(QUERY) ? path.slice(QUERY.length) : (KNOWN[path] ?? KNOWN[nameOf(path)] ?? humanise(nameOf(path)))

/** An instant in the form that records have it. */
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))

const isPercent = (name: string) => /percent/i.test(name)
const isCopied = (name: string) => /^id$|Ids?$|gateway/i.test(name) && name !== 'gateway'

/** @param path a member's; one that is in another currency says so by its name */
export const money = (path: string, value: number, { currency }: EntryContext) => formatMoney(value, /usd$/i.test(path) ? 'usd' : currency)

export function textOf({ path, value }: Member, context: EntryContext): string {
  const name = nameOf(path)
  if (typeof value === 'boolean') return value ? recordWords.yes : recordWords.no
  if (typeof value === 'number') {
    if (isPercent(name)) return `${value.toLocaleString('en', { maximumFractionDigits: 20 })} %`
    return isAmount(name) ? money(path, value, context) : String(value)
  }
  if (isInstant(value)) return formatInstant(value, context.timeZone)
  const page = /pageIds?$/i.test(name) ? context.pageNames.get(value) : undefined
  return page ? `${page} (${value})` : value
}

export function makeEntry(member: Member, context: EntryContext): Entry {
  const { path, value } = member
  return {
    path,
    label: labelOf(path),
    text: textOf(member, context),
    ...(isInstant(value) ? { at: value } : {}),
    ...(typeof value === 'string' && isCopied(nameOf(path)) ? { copy: value } : {}),
  }
}

export const makeEntries = (members: (Member | undefined)[], context: EntryContext): Entry[] =>
  members.flatMap((member) => (member ? [makeEntry(member, context)] : []))

export const asText = (value: Scalar | undefined) => (typeof value === 'string' ? value : undefined)
export const asNumber = (value: Scalar | undefined) => (typeof value === 'number' ? value : undefined)
