/** Formats a record's members for tables. Runs on the server, with the seller's time zone. */
import { formatDay } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { recordCopy } from '@/app/copy/record'
import { type Column, memberAt } from '@/lib/catalog/columns'
import { PARTIALLY_PAID, SOLD_STATUSES } from '@/lib/catalog/order'
import { formatMoney } from '@/lib/core/money'

export type Tone = 'good' | 'warn' | 'bad' | 'neutral'

/** A table cell, as sent to the browser. */
export type Cell = {
  text: string
  kind: Column['kind']
  /** The unit of a number. Shown on phones, where columns have no header. */
  unit?: string
  /** Less prominent text after `text`, such as the email address after a name. */
  note?: string
  /** The tooltip: the full value, such as the exact timestamp, the name and email address of a customer, or the ID of a product. */
  title?: string
  tone?: Tone
  /** The page that `text` links to. */
  href?: string
}

export type TableRow = {
  id: string
  /** A label that marks special records, such as test orders and deleted coupons. */
  mark?: string
  email?: string
  isTest?: true
  /** The amount that the row adds to the sum of a selection, in minor units. Absent for records without an amount. */
  sum?: {
    amount: number
    /** The outstanding part: 0 unless the order is partially paid. Undefined if the order does not count as a sale. */
    due: number | undefined
    currency: string
  }
  cells: Record<string, Cell>
}

/** The tone of each status. Other statuses are `neutral`. */
const TONES: Record<string, Tone> = {
  paid: 'good',
  active: 'good',
  completed: 'good',
  trialing: 'good',
  pending: 'warn',
  partially_paid: 'warn',
  unpaid: 'warn',
  past_due: 'warn',
  incomplete: 'warn',
  partial_refund: 'warn',
  paused: 'warn',
  scheduled: 'warn',
  failed: 'bad',
  PAID: 'good',
  CANCELED: 'bad',
  CHECKEDIN: 'good',
  incomplete_expired: 'bad',
  deleted: 'bad',
}

/** Labels for ticket statuses, which are uppercase constants. */
const TICKET_LABELS: Record<string, string> = { PAID: 'Paid', CANCELED: 'Canceled', CHECKEDIN: 'Checked in', UNCHECKEDIN: 'Not checked in' }

/** Converts a status to a label: `partially_paid` → `Partially paid`. */
export const statusLabel = (status: string) =>
  TICKET_LABELS[status] ?? (status.charAt(0).toUpperCase() + status.slice(1)).replaceAll('_', ' ')

export const statusTone = (status: string): Tone => TONES[status] ?? 'neutral'

const instantFormats = new Map<string, Intl.DateTimeFormat>()

/** Formats a timestamp, for example as `Nov 21, 2026, 13:00`. @param instant an ISO 8601 timestamp */
export function formatInstant(instant: string, timeZone: string, withSeconds = false): string {
  // Formatters are cached, because creating one per cell takes longer than rendering the rest of the table.
  const key = `${timeZone} ${withSeconds}`
  const format =
    instantFormats.get(key) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(withSeconds ? { second: '2-digit' } : {}),
    })
  instantFormats.set(key, format)
  return format.format(new Date(instant))
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const relativeFormat = new Intl.RelativeTimeFormat('en-US', { style: 'short' })

/** Formats an instant from the last 24 hours as a relative time, for example `5 min. ago`. Returns undefined for other instants. */
function formatAgo(instant: string): string | undefined {
  const elapsed = Date.now() - Date.parse(instant)
  if (!(elapsed >= 0 && elapsed < 24 * HOUR_MS)) return undefined
  if (elapsed < MINUTE_MS) return listCopy.justNow
  return elapsed < HOUR_MS
    ? relativeFormat.format(-Math.floor(elapsed / MINUTE_MS), 'minute')
    : relativeFormat.format(-Math.floor(elapsed / HOUR_MS), 'hour')
}

/**
 * Formats the time of a check-in, or its day if the time is unknown, as for some imported check-ins. Returns undefined if neither is known.
 */
export const formatCheckIn = ({ at, day }: { at: string | null; day: string | null }, timeZone: string): string | undefined =>
  at !== null ? formatInstant(at, timeZone) : day !== null ? formatDay(day) : undefined

const DAY_LENGTH = 'YYYY-MM-DD'.length

export type CellContext = {
  timeZone: string
  /** The names of products and events by ID. */
  pageNames: ReadonlyMap<string, string>
  /** The IDs of the customers that exist, in lowercase. Only these have a page. */
  customerIds?: ReadonlySet<string>
}

/** Returns the path of the customer's page, or undefined if there is no such customer. */
function customerHref({ customerId }: Record<string, unknown>, { customerIds }: CellContext): string | undefined {
  const id = typeof customerId === 'string' ? customerId.toLowerCase() : ''
  return customerIds?.has(id) ? `/customers/${id}` : undefined
}

/** Returns the name of an order's customer or, if there is none, of their company, by which the table is then sorted. */
const customerName = (record: Record<string, unknown>): string | undefined =>
  ['billing.name', 'billing.companyName']
    .map((path) => memberAt(record, path))
    .find((name): name is string => typeof name === 'string' && name !== '')

function makeCell(kind: Column['kind'], value: unknown, record: Record<string, unknown>, context: CellContext): Cell {
  const { timeZone, pageNames } = context
  const text = String(value)
  switch (kind) {
    case 'money':
      // A normal space instead of a no-break space, so that an amount that is wider than its column wraps.
      return {
        kind,
        text: formatMoney(Number(value), typeof record.currency === 'string' ? record.currency : undefined).replace(/\s/g, ' '),
      }
    case 'date': {
      // If the time of an imported check-in is unknown, the value is only a date.
      if (text.length === DAY_LENGTH) return { kind, text: formatDay(text), title: text }
      const relative = formatAgo(text)
      const exact = formatInstant(text, timeZone)
      return relative ? { kind, text: relative, title: `${exact} ${timeZone} (${text})` } : { kind, text: exact, title: text }
    }
    case 'customer': {
      const name = customerName(record)
      const href = customerHref(record, context)
      const link = href === undefined ? {} : { href }
      if (name === undefined) return { kind, text, title: text, ...link }
      return { kind, text: name, title: [name, text].filter(Boolean).join(' · '), ...(text ? { note: text } : {}), ...link }
    }
    case 'status':
      return { kind, text: statusLabel(text), tone: statusTone(text) }
    case 'text':
      return { kind, text, title: text }
    case 'page':
      return { kind, text: pageNames.get(text) ?? text, title: text }
    case 'percent':
      return { kind, text: `${Number(value).toLocaleString('en-US')}%` }
    case 'number':
      return { kind, text: Number(value).toLocaleString('en-US') }
    default:
      return { kind, text }
  }
}

/** Formatters for members whose text also depends on other members. */
const FORMATTERS: Partial<Record<string, (record: Record<string, unknown>) => string>> = {
  interval: ({ interval, intervalCount }) => recordCopy.every(Number(intervalCount ?? 1), String(interval)),
  duration: ({ duration, durationInMonths }) => recordCopy.duration(String(duration), Number(durationInMonths ?? 0)),
}

/** For numeric columns with a unit: a function that returns the unit in the singular or plural. */
const UNITS: Partial<Record<string, (count: number) => string>> = { timesRedeemed: recordCopy.usageUnit }

function getMark({ livemode, deleted, redeemBy }: Record<string, unknown>): string | undefined {
  if (livemode === false) return listCopy.test
  if (deleted === true) return listCopy.deleted
  return typeof redeemBy === 'string' && Date.parse(redeemBy) < Date.now() ? listCopy.expired : undefined
}

/** Returns the outstanding part of an order's amount, or undefined if the order does not count as a sale. */
function getAmountDue({ status, amountPaid }: Record<string, unknown>, amount: number): number | undefined {
  if (status === PARTIALLY_PAID) return amount - Number(amountPaid ?? 0)
  return SOLD_STATUSES.some((sold) => sold === status) ? 0 : undefined
}

/** Returns a table row. Members without a value have no cell. */
export function makeRow(record: Record<string, unknown>, columns: readonly Column[], context: CellContext): TableRow {
  const cells: Record<string, Cell> = {}
  for (const { key, kind } of columns) {
    const value = memberAt(record, key) ?? (kind === 'customer' && customerName(record) ? '' : undefined)
    if (value === undefined || (value === '' && kind !== 'customer')) continue
    const text = FORMATTERS[key]?.(record)
    const unit = UNITS[key]?.(Number(value))
    cells[key] = text === undefined ? { ...makeCell(kind, value, record, context), ...(unit ? { unit } : {}) } : { kind, text }
  }
  const { customerEmail, email = customerEmail, amount, currency = '', livemode } = record
  const mark = getMark(record)
  return {
    id: String(record.id),
    ...(mark === undefined ? {} : { mark }),
    ...(typeof email === 'string' && email ? { email } : {}),
    ...(livemode === false ? { isTest: true } : {}),
    ...(typeof amount === 'number' ? { sum: { amount, due: getAmountDue(record, amount), currency: String(currency).toUpperCase() } } : {}),
    cells,
  }
}
