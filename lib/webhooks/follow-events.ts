/** Follows a seller's events over the API, for forwarding them to a developer's machine. */
import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 1_000

export type FollowedEvent = { id: string; type: string; createdAt: string; data: unknown }

export type EventPage = { has_more: boolean; data: FollowedEvent[] }

/** Reads a page of `GET /v1/events`. Resolves with undefined if the cursor's event has been deleted. */
export type ReadEvents = (query: Record<string, string>) => Promise<EventPage | undefined>

/** Reads every event of a seller who had none, newest first. */
async function readFirstEvents(read: ReadEvents): Promise<EventPage> {
  const data: FollowedEvent[] = []
  for (;;) {
    const oldest = data.at(-1)?.id
    const page = await read({ limit: '100', ...(oldest === undefined ? {} : { starting_after: oldest }) })
    data.push(...(page?.data ?? []))
    if (!page?.has_more) return { has_more: false, data }
  }
}

/** Yields the events that are written from now on, oldest first, until the signal is aborted. Throws the errors of `read`. */
export async function* followEvents(read: ReadEvents, signal: AbortSignal): AsyncGenerator<FollowedEvent> {
  const newest = await read({ limit: '1' })
  let cursor = newest?.data[0]?.id
  let hadEvents = cursor !== undefined
  while (!signal.aborted) {
    const next = { limit: '100', ...(cursor === undefined ? {} : { ending_before: cursor }) }
    const page = await (hadEvents ? read(next) : readFirstEvents(read))
    for (const event of page?.data.toReversed() ?? []) yield event
    cursor = page === undefined ? undefined : (page.data[0]?.id ?? cursor)
    hadEvents ||= cursor !== undefined
    // After the cursor's event has been deleted, the page is the newest one, and `has_more` refers to older events.
    if (page === undefined || page.data.length === 0 || !page.has_more) {
      await pause(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }
}
