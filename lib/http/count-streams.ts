/** Streams the counts at check-in to open pages, as server-sent events. All pages of an event share one query per second. */
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { ApiError } from '../core/errors'
import { describeError, log } from '../core/log'
import { isDraining } from './health-routes'

/** How often the counts are read while a page is open. */
const READ_MS = 1_000
/** How often something is sent, so that proxies keep the connection and the server notices that a page is gone. */
const PING_MS = 15_000
/** A page opens its stream again after this time, and its session or device is checked again. */
const LIFETIME_MS = 5 * 60_000
/** The most streams, on this server and of one seller. Other pages poll. */
const LIMIT = 1_000
const LIMIT_OF_SELLER = 100

type Channel = {
  pages: Set<Page>
  latest: string | undefined
  timer: ReturnType<typeof setInterval>
}
type Page = { send(text: string): void; close(): void }

const channels = new Map<string, Channel>()
const open = new Map<string, number>()
let total = 0
let refused = 0

reportLoad('count_streams', () => ({ active: total, waiting: 0, refused }))

/** Counts a stream of a seller. @throws {ApiError} `rate_limited` if there are too many. @throws {UnavailableError} while the server stops */
function countStream(sellerId: string): () => void {
  const ofSeller = open.get(sellerId) ?? 0
  if (isDraining()) throw new UnavailableError('The server is shutting down.')
  if (total >= LIMIT || ofSeller >= LIMIT_OF_SELLER) {
    refused += 1
    const message = 'Too many check-in pages are open. Read the counts from /door/turnout.'
    throw new ApiError('rate_limited', message, undefined, { 'Retry-After': '60' })
  }
  total += 1
  open.set(sellerId, ofSeller + 1)
  return () => {
    total -= 1
    const left = (open.get(sellerId) ?? 1) - 1
    if (left > 0) open.set(sellerId, left)
    else open.delete(sellerId)
  }
}

/** Returns a channel, which reads the counts until its last page is gone. */
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
      // The next second tries again; the page goes on showing the latest counts.
      log().debug({ error: describeError(error) }, 'counts at check-in not read')
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
 * Returns a stream of counts: the current ones, and whenever they change.
 *
 * @param key identifies the counts within the seller
 * @param read reads the counts
 * Throws like `countStream`.
 */
export function streamCounts(sellerId: string, key: string, read: () => Promise<unknown>): Response {
  const uncount = countStream(sellerId)
  const name = `${sellerId} ${key}`
  let close = () => {}
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const channel = joinChannel(name, read)
      const page: Page = {
        // A page that does not read its stream gets no more of it.
        send: (text) => ((controller.desiredSize ?? 0) < -64 ? close() : controller.enqueue(encoder.encode(text))),
        close: () => close(),
      }
      const ping = setInterval(() => page.send(':\n\n'), PING_MS)
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
  // `no-transform` keeps Next from compressing, and thereby buffering, the stream; the last header does the same for nginx.
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-store, no-transform', 'X-Accel-Buffering': 'no' }
  return new Response(body, { headers })
}
