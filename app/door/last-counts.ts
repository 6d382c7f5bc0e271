/** The last counts that the server has sent for each event, in local storage: the stored page has those of its own time, and of one event only. */
import type { Turnout } from '@/lib/admission/turnout'
import type { DoorEvent } from './door-events'

/** `at` is when the server sent them, in milliseconds since 1970. */
export type Counts = { turnout: Turnout; at: number }

const STORAGE_KEY = 'checkout-desk:door-counts'

function readAll(): Record<string, Counts> {
  try {
    return JSON.parse(window.localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<string, Counts>
  } catch {
    // If storage is unavailable or its content is invalid, the page's own counts are shown.
    return {}
  }
}

/** @param pageId the event; empty for all events */
export function rememberCounts(pageId: string, counts: Counts): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...readAll(), [pageId]: counts }))
  } catch {
    // If storage is unavailable, the counts last until the page is closed.
  }
}

/**
 * Returns the newest counts of an event that are known without the server.
 *
 * @param initial those of the page, for the event `firstPageId`
 * @param events the events with their counts when the page was made
 */
export function chooseCounts(pageId: string, initial: Counts, firstPageId: string, events: readonly DoorEvent[]): Counts {
  const remembered = readAll()[pageId]
  if (remembered && remembered.at > initial.at) return remembered
  const event = events.find(({ id }) => id === pageId)
  if (pageId === firstPageId || !event) return initial
  const { attended, sold, startsAt, endsAt, capacity } = event
  const totals = { ...{ attended, sold, startsAt, endsAt, capacity }, inside: attended }
  return { at: initial.at, turnout: { ...totals, types: [], scans: {}, devices: [], perMinute: [] } }
}
