/** The events to choose from on the start screen and in the top bar, with their counts. */
import type { CheckoutPage } from '@/lib/accounts/checkout-pages'
import { dayIn } from '@/lib/core/time'

export type DoorEvent = Pick<CheckoutPage, 'id' | 'name' | 'startsAt' | 'endsAt' | 'capacity'> & {
  /** The number of guests who are checked in or have been checked out. */
  attended: number
  /** The number of people inside. */
  inside: number
  /** The number of paid tickets. */
  sold: number
}

/**
 * Returns a sort key. Events that are in progress or start later today come first, then upcoming, past and undated ones. Within each
 * group, the event whose start is nearest comes first. An event without an end is in progress for the rest of the day.
 */
function rankEvent({ startsAt, endsAt }: DoorEvent, timeZone: string, now: Date): [group: number, distance: number] {
  if (startsAt === null) return [3, 0]
  const start = new Date(startsAt)
  const distance = Math.abs(start.getTime() - now.getTime())
  const isToday = dayIn(timeZone, start) === dayIn(timeZone, now)
  const hasEnded = endsAt === null ? start < now && !isToday : new Date(endsAt) < now
  if (hasEnded) return [2, distance]
  return [isToday || start <= now ? 0 : 1, distance]
}

type Choice = {
  timeZone: string
  /** Whether all events can be selected. A limited device can select each of its events, because the first ticket may be sold later. */
  allowsAll: boolean
  /** The selected event; empty for all events. */
  pageId: string
}

/** Returns the events to choose from, sorted by `rankEvent`, then by name. Omits events without paid tickets if all can be selected. */
export function listChoices(events: readonly DoorEvent[], { timeZone, allowsAll, pageId }: Choice, now = new Date()): DoorEvent[] {
  return events
    .filter(({ id, sold }) => sold > 0 || id === pageId || !allowsAll)
    .map((event) => ({ event, rank: rankEvent(event, timeZone, now) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || a.event.name.localeCompare(b.event.name))
    .map(({ event }) => event)
}

/**
 * Returns the only event that has paid tickets. Returns undefined if no event or more than one has paid tickets, or if some paid tickets
 * have no event.
 *
 * @param sold the number of all paid tickets
 */
export function findOnlyEvent(events: readonly DoorEvent[], sold: number): DoorEvent | undefined {
  const [event] = events.filter((candidate) => candidate.sold > 0)
  return event?.sold === sold ? event : undefined
}
