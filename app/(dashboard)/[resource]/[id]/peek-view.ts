/** The essentials of a record, as the drawer next to a table shows them. */
import { formatInstant, statusLabel, statusTone, type Tone } from '@/app/_components/cells'
import { couponSalesCopy } from '@/app/copy/coupon-sales'
import { recordCopy } from '@/app/copy/record'
import type { Banner } from './banner'
import type { Charge } from './charges'
import type { Entry } from './entries'
import type { Line } from './lines'
import type { LoadedRecord } from './load-record'
import type { TimelineEntry } from './timeline'

/** The latest entries of the timeline that are shown. */
const SHOWN = 5

export type PeekEvent = { key: string; label: string; at: string; time: string; text: string; isBad: boolean }

export type Peek = {
  title: string
  amount?: string | undefined
  statuses: { text: string; tone: Tone }[]
  isTest: boolean
  /** The customer's or the guest's name, and the date. */
  subtitle: string
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
  timeline.slice(-SHOWN).map(({ key, kind, label, at, text, who }) => ({
    ...{ key, label, at, time: formatInstant(at, timeZone), isBad: kind === 'refusal' },
    text: [text, who].filter(Boolean).join(' · '),
  }))

/** Returns the drawer's content. The record's `more` are a coupon's sales, if they are known. */
export function toPeek(
  { record, view, timeline, amount, person, customerHref, more: sales }: LoadedRecord<Entry[]>,
  timeZone: string,
): Peek {
  const { title, status, isTest, banner, lines, charges, customer, payment, groups } = view
  const more = [
    { name: 'sales', title: couponSalesCopy.title, entries: sales },
    { name: 'payment', title: recordCopy.paymentMethod, entries: payment },
  ].filter(({ entries }) => entries.length > 0)
  return {
    ...{ title, amount, banner, lines, charges, customer, customerHref },
    statuses: status ? [toStatus(status)] : [],
    isTest,
    subtitle: [person, formatInstant(String(record.createdAt), timeZone)].filter(Boolean).join(' · '),
    groups: [...more, ...groups],
    timeline: listLatestEvents(timeline, timeZone),
  }
}
