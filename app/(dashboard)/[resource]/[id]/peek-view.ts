/** Builds the content of the drawer next to a table: a summary of a record. */
import { formatInstant, statusLabel, statusTone, type Tone } from '@/app/_components/cells'
import { couponSalesCopy } from '@/app/copy/coupon-sales'
import { recordCopy } from '@/app/copy/record'
import type { Banner } from './banner'
import type { Charge } from './charges'
import type { Entry } from './entries'
import type { Line } from './lines'
import type { LoadedRecord } from './load-record'
import { formatWhen, type TimelineEntry } from './timeline'

/** The maximum number of timeline entries in the drawer. */
const MAX_EVENTS = 5

/** A timeline entry, formatted for the drawer. `dateTime` is a timestamp, or a date if the time is unknown. */
export type PeekEvent = { key: string; label: string; dateTime: string; time: string; text: string; isBad: boolean }

/** The content of the drawer. */
export type Peek = {
  title: string
  amount?: string | undefined
  statuses: { text: string; tone: Tone }[]
  isTest: boolean
  /** The name of the customer or guest, or the coupon's label. */
  person: string | undefined
  /** The creation time, formatted. */
  createdAt: string
  banner?: Banner | undefined
  lines: Line[]
  charges: Charge[]
  customer: Entry[]
  customerHref?: string | undefined
  groups: { name: string; title: string; entries: Entry[] }[]
  timeline: PeekEvent[]
}

export const toStatus = (status: string) => ({ text: statusLabel(status), tone: statusTone(status) })

/** Returns the latest entries of a timeline, oldest first. */
export const listLatestEvents = (timeline: TimelineEntry[], timeZone: string): PeekEvent[] =>
  timeline.slice(-MAX_EVENTS).map((entry) => ({
    key: entry.key,
    label: entry.label,
    ...formatWhen(entry, timeZone),
    isBad: entry.kind === 'refusal',
    text: [entry.text, entry.actor].filter(Boolean).join(' · '),
  }))

/** Returns the drawer's content. `more` contains a coupon's sales. It is empty for other records and if the sales are unavailable. */
export function toPeek(
  { record, view, timeline, amount, person, customerHref, more: sales }: LoadedRecord<Entry[]>,
  timeZone: string,
): Peek {
  const { title, status, isTest, banner, lines, charges, customer, payment, groups } = view
  const extraGroups = [
    { name: 'sales', title: couponSalesCopy.title, entries: sales },
    { name: 'payment', title: recordCopy.paymentMethod, entries: payment },
  ].filter(({ entries }) => entries.length > 0)
  return {
    title,
    amount,
    banner,
    lines,
    charges,
    customer,
    customerHref,
    statuses: status ? [toStatus(status)] : [],
    isTest,
    person,
    createdAt: formatInstant(String(record.createdAt), timeZone),
    groups: [...extraGroups, ...groups],
    timeline: listLatestEvents(timeline, timeZone),
  }
}
