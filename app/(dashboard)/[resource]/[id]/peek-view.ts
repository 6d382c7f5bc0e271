/** The essentials of a record, as the drawer next to a table shows them. */
import { formatInstant, statusLabel, statusTone, type Tone } from '@/app/_components/cells'
import type { Banner } from './banner'
import type { Charge } from './charges'
import type { Figure } from './coupon-figures'
import type { Entry } from './entries'
import type { Line } from './lines'
import type { LoadedRecord } from './load-record'
import type { TimelineEntry } from './timeline'
import type { Group } from './view'

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
  /** A coupon's sales; empty for other records, or if they take too long. */
  figures: Figure[]
  lines: Line[]
  charges: Charge[]
  customer: Entry[]
  customerHref?: string | undefined
  groups: Pick<Group, 'name' | 'title' | 'entries'>[]
  timeline: PeekEvent[]
}

export const toStatus = (status: string) => ({ text: statusLabel(status), tone: statusTone(status) })

/** Returns the latest entries of a timeline, oldest first. */
export const listLatestEvents = (timeline: TimelineEntry[], timeZone: string): PeekEvent[] =>
  timeline.slice(-SHOWN).map(({ key, kind, label, at, text, who }) => ({
    ...{ key, label, at, time: formatInstant(at, timeZone), isBad: kind === 'refusal' },
    text: [text, who].filter(Boolean).join(' · '),
  }))

export function toPeek(
  { record, view, timeline, amount, person, customerHref, more: figures }: LoadedRecord<Figure[]>,
  timeZone: string,
): Peek {
  const { title, status, isTest, banner, lines, charges, customer, payment, groups } = view
  const paid: Peek['groups'] = payment.length > 0 ? [{ name: 'payment', title: '', entries: payment }] : []
  return {
    ...{ title, amount, banner, figures, lines, charges, customer, customerHref },
    statuses: status ? [toStatus(status)] : [],
    isTest,
    subtitle: [person, formatInstant(String(record.createdAt), timeZone)].filter(Boolean).join(' · '),
    groups: [...paid, ...groups],
    timeline: listLatestEvents(timeline, timeZone),
  }
}
