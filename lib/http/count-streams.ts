/** Streams the counts at check-in to open pages, as server-sent events. All pages of an event share one query per second. */
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { ApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { isDraining } from './health-routes'

/** The interval at which the counts are read while a page is open. */
const READ_MS = 1_000
/**
 * The interval at which something is sent, so that proxies keep the connection and the server notices that a page was closed. The session or device
 * is checked at the same time.
 */
const PING_MS = 15_000
/** The time after which a page reopens its stream. */
const LIFETIME_MS = 5 * 60_000
/** The maximum number of streams per server, seller, and user or device. Other pages poll. */
const LIMIT = 1_000
const LIMIT_OF_SELLER = 100
const LIMIT_OF_CALLER = 50

type Channel = {
  pages: Set<Page>
  latest: string | undefined
  timer: ReturnType<typeof setInterval>
}
type Page = { send(text: string): void; close(): void }

const channels = new Map<string, Channel>()
/** The number of streams by the ID of the seller, user or device. */
const open = new Map<string, number>()
let total = 0
let refused = 0

reportLoad('count_streams', () => ({ active: total, waiting: 0, refused }))

/** The reader of a stream. */
type Reader = {
  sellerId: string
  /** The ID of the user or the device. */
  actorId: string
  /** Returns whether the reader may still see the counts. */
  isAllowed(): Promise<boolean>
}

/** Counts a stream. @throws {ApiError} `rate_limited` if there are too many. @throws {UnavailableError} while the server stops */
function countStream({ sellerId, actorId }: Reader): () => void {
  const countOpen = (id: string) => open.get(id) ?? 0
  if (isDraining()) throw new UnavailableError('The server is shutting down.')
  if (total >= LIMIT || countOpen(sellerId) >= LIMIT_OF_SELLER || countOpen(actorId) >= LIMIT_OF_CALLER) {
    refused += 1
    const message = 'Too many check-in pages are open. Read the counts from /door/turnout.'
    throw new ApiError('rate_limited', message, undefined, { 'Retry-After': '60' })
  }
  const add = (number: number) => {
    total += number
    for (const id of [sellerId, actorId]) {
      if (countOpen(id) + number > 0) open.set(id, countOpen(id) + number)
      else open.delete(id)
    }
  }
  add(1)
  return () => add(-1)
}

/** Returns a channel, which reads the counts until its last page is closed. */
function joinChannel(key: string, read: () => Promise<unknown>): Channel {
  const known = channels.get(key)
  if (known) return known
  let isReading = false
  async function refresh(channel: Channel): Promise<void> {
    if (isDraining()) for (const page of [...channel.pages]) page.close()
    if (isReading || channel.pages.size === 0) return
    isReading = true
    try {
      const counts = JSON.stringify(await read())
      if (counts !== channel.latest) for (const page of channel.pages) page.send(`data: ${counts}\n\n`)
      channel.latest = counts
    } catch (error) {
      // The next tick tries again; the page keeps showing the latest counts.
      log().debug({ error: describeError(error) }, 'could not read the counts at check-in')
    } finally {
      isReading = false
    }
  }
  const channel: Channel = { pages: new Set(), latest: undefined, timer: setInterval(() => void refresh(channel), READ_MS) }
  channel.timer.unref()
  channels.set(key, channel)
  queueMicrotask(() => void refresh(channel))
  return channel
}

/**
 * Returns a stream of counts: the current ones, and new ones whenever they change. Throws like `countStream`.
 *
 * @param reader the stream ends within `PING_MS` after the reader loses access
 * @param key identifies the counts among those of the seller
 * @param read reads the counts
 */
export function streamCounts(reader: Reader, key: string, read: () => Promise<unknown>): Response {
  const uncount = countStream(reader)
  const name = `${reader.sellerId} ${key}`
  let close = () => {}
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const channel = joinChannel(name, read)
      const page: Page = {
        // Nothing more is sent to a page that does not read its stream.
        send: (text) => ((controller.desiredSize ?? 0) < -64 ? close() : controller.enqueue(encoder.encode(text))),
        close: () => close(),
      }
      const check = () =>
        reader.isAllowed().then(
          (isAllowed) => isAllowed || close(),
          // Without a database, there are no new counts.
          (error: unknown) => log().debug({ error: describeError(error) }, 'could not check the reader of a stream of counts'),
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
          channels.delete(name)
        }
        uncount()
        try {
          controller.close()
        } catch {
          // The page has closed it.
        }
      }
      channel.pages.add(page)
      page.send(channel.latest === undefined ? ':\n\n' : `data: ${channel.latest}\n\n`)
    },
    cancel: () => close(),
  })
  // `no-transform` keeps Next from compressing, and thereby buffering, the stream; the last header keeps nginx from buffering it.
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-store, no-transform', 'X-Accel-Buffering': 'no' }
  return new Response(body, { headers })
}
