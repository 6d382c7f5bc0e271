/**
 * Stores the last counts that this device has received for each event of a shop, in local storage. The page that is stored for offline use
 * contains the complete counts of only one event, as of when it was rendered.
 */
import type { Turnout } from '@/lib/admission/turnout'
import type { DoorEvent } from './door-events'
import type { TurnoutResponse } from './responses'

/** `at` is when the server rendered the page with these counts, or sent them, in milliseconds since 1970 on the server's clock. */
export type Counts = { turnout: Turnout; at: number }

/** Stored per shop, because a browser may be used for several shops. */
const toStorageKey = (sellerId: string) => `checkout-desk:door-counts:${sellerId}`

function readAll(sellerId: string): Record<string, Counts> {
  try {
    return JSON.parse(window.localStorage.getItem(toStorageKey(sellerId)) ?? '{}') as Record<string, Counts>
  } catch {
    // If storage is unavailable or its content is invalid, the counts that the page was rendered with are used.
    return {}
  }
}

/** Stores and returns the counts that the server has sent for an event. @param pageId the event; empty for all events */
export function rememberCounts(sellerId: string, pageId: string, { at, ...turnout }: TurnoutResponse): Counts {
  const counts = { turnout, at }
  try {
    window.localStorage.setItem(toStorageKey(sellerId), JSON.stringify({ ...readAll(sellerId), [pageId]: counts }))
  } catch {
    // If storage is unavailable, the counts last until the page is closed or reloaded.
  }
  return counts
}

/**
 * The counts that the page was rendered with: complete counts for the event that is selected first (`firstPageId`), and totals for each
 * event. `firstPageId` is empty for all events, which cannot be selected on a device limited to certain events.
 */
export type PageCounts = { initial: Counts; firstPageId: string; events: readonly DoorEvent[] }

/**
 * Returns the newest counts of an event that are available without a request to the server.
 *
 * @param pageId the event; empty for all events
 * @returns the counts. For an event other than `firstPageId`, those that the page was rendered with contain only totals
 */
export function chooseCounts(sellerId: string, pageId: string, { initial, firstPageId, events }: PageCounts): Counts {
  const remembered = readAll(sellerId)[pageId]
  if (remembered && remembered.at > initial.at) return remembered
  const event = events.find(({ id }) => id === pageId)
  if (pageId === firstPageId || !event) return initial
  const { id: _id, name: _name, ...totals } = event
  return { at: initial.at, turnout: { ...totals, types: [], scans: {}, devices: [], perMinute: [] } }
}
