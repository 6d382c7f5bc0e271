/**
 * Streams check-in counts to open pages, as server-sent events. All pages of an event share one query per second, and one when pages join.
 */
import { isDeepStrictEqual } from 'node:util'
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { ApiError } from '../core/errors'
import { log } from '../core/log'
import { isDraining } from './health-routes'

/** The interval between reads of the counts while a page is open, in milliseconds. */
const READ_MS = 1_000
/**
 * The interval between pings, in milliseconds. Pings keep proxies from closing the connection, and let the server notice that a page has
 * been closed. The session or device is checked at the same time.
 */
const PING_MS = 15_000
/** How long a stream lasts, in milliseconds. The page then opens a new one. */
const LIFETIME_MS = 5 * 60_000
/** The maximum number of streams per server, seller, and user or device. Pages beyond a limit poll instead. */
const LIMIT = 1_000
const LIMIT_PER_SELLER = 100
const LIMIT_PER_CALLER = 50

/** The open pages that show the same counts. */
type Channel = {
  pages: Set<Page>
  /** The latest counts, and when they were last read, in milliseconds since 1970; undefined before they have been read. */
  latest: { counts: object; at: number } | undefined
  timer: ReturnType<typeof setInterval>
  /** Reads the counts, unless they are being read, and sends them to the pages that do not have them. */
  refresh(): Promise<void>
}
/** The stream to an open page. */
type Page = {
  /** Whether counts have been sent to the page. */
  hasCounts: boolean
  send(text: string): void
  close(): void
}

const channels = new Map<string, Channel>()
/** The number of open streams by the ID of their seller, user or device. */
const openStreams = new Map<string, number>()
let total = 0
let refused = 0

reportLoad('count_streams', () => ({ active: total, waiting: 0, refused }))

/** The user or check-in device that reads a stream. */
type Reader = {
  sellerId: string
  /** The ID of the user or device. */
  actorId: string
  /** Returns whether the reader may still see the counts. */
  isAllowed(): Promise<boolean>
}

/**
 * Registers an open stream.
 *
 * @returns a function that unregisters it
 * @throws {ApiError} `rate_limited` if too many are open
 * @throws {UnavailableError} while the server shuts down
 */
function registerStream({ sellerId, actorId }: Reader): () => void {
  const countOpen = (id: string) => openStreams.get(id) ?? 0
  if (isDraining()) throw new UnavailableError('The server is shutting down.')
  if (total >= LIMIT || countOpen(sellerId) >= LIMIT_PER_SELLER || countOpen(actorId) >= LIMIT_PER_CALLER) {
    refused += 1
    const message = 'Too many check-in pages are open. Get the counts from /door/turnout instead.'
    throw new ApiError('rate_limited', message, undefined, { 'Retry-After': '60' })
  }
  const add = (number: number) => {
    total += number
    for (const id of [sellerId, actorId]) {
      if (countOpen(id) + number > 0) openStreams.set(id, countOpen(id) + number)
      else openStreams.delete(id)
    }
  }
  add(1)
  return () => add(-1)
}

/** Returns a message with counts and the time at which the server read them, because the page's clock may be wrong. */
const toMessage = ({ counts, at }: NonNullable<Channel['latest']>) => `data: ${JSON.stringify({ ...counts, at })}\n\n`

/** Returns the channel for a key, and creates it if there is none. A channel reads the counts until its last page is closed. */
function joinChannel(key: string, read: () => Promise<object>): Channel {
  const existing = channels.get(key)
  if (existing) return existing
  let isReading = false
  async function refresh(): Promise<void> {
    if (isDraining()) for (const page of [...channel.pages]) page.close()
    if (isReading || channel.pages.size === 0) return
    isReading = true
    const readers = new Set(channel.pages)
    const previous = channel.latest
    try {
      channel.latest = { counts: await read(), at: Date.now() }
    } catch (error) {
      // The counts are read again after the interval. Until then, pages keep showing the latest ones.
      log().debug({ error }, 'could not read the check-in counts')
    } finally {
      isReading = false
    }
    const { latest } = channel
    const isChanged = !isDeepStrictEqual(latest?.counts, previous?.counts)
    const receivers = [...channel.pages].filter((page) => readers.has(page) && (isChanged || !page.hasCounts))
    if (latest && receivers.length > 0) {
      const message = toMessage(latest)
      for (const page of receivers) {
        page.hasCounts = true
        page.send(message)
      }
    }
    // A page may have joined because of a change that the counts do not include, because they were being read already.
    if ([...channel.pages].some((page) => !readers.has(page))) void refresh()
  }
  const channel: Channel = { pages: new Set(), latest: undefined, timer: setInterval(() => void refresh(), READ_MS), refresh }
  channel.timer.unref()
  channels.set(key, channel)
  return channel
}

/**
 * Returns a response that streams the current counts, and new ones whenever they change.
 *
 * @param reader the user or device; the stream ends within `PING_MS` after it loses access
 * @param key a key for the counts that is unique within the seller
 * @param read reads the counts
 * @throws {ApiError} `rate_limited` if too many streams are open
 * @throws {UnavailableError} while the server shuts down
 */
export function streamCounts(reader: Reader, key: string, read: () => Promise<object>): Response {
  const unregister = registerStream(reader)
  const channelKey = `${reader.sellerId} ${key}`
  let close = () => {}
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const channel = joinChannel(channelKey, read)
      const page: Page = {
        hasCounts: false,
        // Closes the stream of a page that has stopped reading it.
        send: (text) => ((controller.desiredSize ?? 0) < -64 ? close() : controller.enqueue(encoder.encode(text))),
        close: () => close(),
      }
      const check = () =>
        reader.isAllowed().then(
          (isAllowed) => isAllowed || close(),
          // If the database is down, no counts can be read, so the stream may stay open.
          (error: unknown) => log().debug({ error }, 'could not check access to a stream of counts'),
        )
      const ping = setInterval(() => {
        page.send(':\n\n')
        void check()
      }, PING_MS)
      const end = setTimeout(() => close(), LIFETIME_MS)
      close = () => {
        close = () => {}
        clearInterval(ping)
        clearTimeout(end)
        channel.pages.delete(page)
        if (channel.pages.size === 0) {
          clearInterval(channel.timer)
          channels.delete(channelKey)
        }
        unregister()
        try {
          controller.close()
        } catch {
          // The page has already closed the stream.
        }
      }
      channel.pages.add(page)
      page.send(':\n\n')
      void channel.refresh()
    },
    cancel: () => close(),
  })
  // `no-transform` keeps proxies, and Next in development, from compressing the stream, which would buffer it. `X-Accel-Buffering` keeps
  // nginx from buffering it.
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-store, no-transform', 'X-Accel-Buffering': 'no' }
  return new Response(body, { headers })
}
