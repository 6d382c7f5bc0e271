/** The events on the start screen, with their counts. */
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

const DAY_MS = 86_400_000

/** Returns a number to sort by: events today or in progress come first, then upcoming, past and undated ones, nearest dates first. */
function rankEvent({ startsAt, endsAt }: DoorEvent, timeZone: string, now: Date): number {
  if (startsAt === null) return 2 * DAY_MS * 10_000
  const start = new Date(startsAt)
  const isToday = dayIn(timeZone, start) === dayIn(timeZone, now)
  const isRunning = start <= now && endsAt !== null && new Date(endsAt) >= now
  if (isToday || isRunning) return 0
  const ahead = start.getTime() - now.getTime()
  return ahead > 0 ? ahead : DAY_MS * 10_000 - ahead
}

/** Returns the events with paid tickets, sorted by `rankEvent`, then by name. */
export const sortEvents = (events: readonly DoorEvent[], timeZone: string, now = new Date()): DoorEvent[] =>
  events
    .filter(({ sold }) => sold > 0)
    .toSorted((a, b) => rankEvent(a, timeZone, now) - rankEvent(b, timeZone, now) || a.name.localeCompare(b.name))
