/** Limits the memory of unread responses, and reuses the memory of sent ones. */
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'

/**
 * The maximum memory of unread responses in bytes, in total and per seller. Clients that read their responses reach it only with several
 * huge lists.
 */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_PER_SELLER = 16 * 1024 * 1024

let total = 0
let responses = 0
let refused = 0
const sellers = new Map<string, number>()

reportLoad('unread_responses', () => ({ active: responses, waiting: 0, refused }))

/** Checks the limits on unread responses. @throws {UnavailableError} `queue_full` if those of the seller or of all sellers exceed them */
export function assertFewUnread(sellerId: string): void {
  if (total < MAX_BYTES && (sellers.get(sellerId) ?? 0) < MAX_BYTES_PER_SELLER) return
  refused += 1
  throw new UnavailableError('Too many responses have not been read by their clients.', { code: 'queue_full' })
}

/**
 * Counts a response as unread.
 *
 * @param bytes the memory that the response takes
 * @returns a function to call (once) when the response has been read, or its connection has been closed
 */
export function countUnread(sellerId: string, bytes: number): () => void {
  total += bytes
  responses += 1
  sellers.set(sellerId, (sellers.get(sellerId) ?? 0) + bytes)
  return () => {
    total -= bytes
    responses -= 1
    const left = (sellers.get(sellerId) ?? 0) - bytes
    if (left > 0) sellers.set(sellerId, left)
    else sellers.delete(sellerId)
  }
}

/** The smallest size of memory for bodies, in bytes. Each further size is twice as large, up to 1 MiB. */
const MIN_REUSED = 16 * 1024
/**
 * Memory for bodies that is not in use, by size. Buffers are outside V8's heap: with a new buffer for each body, V8 ran a full garbage
 * collection once every 150 lists of 100 records, which took a quarter of their CPU time.
 */
const unused: ArrayBuffer[][] = Array.from({ length: 7 }, () => [])
/** The maximum number of unused pieces of each size. More are in use only while clients do not read their responses. */
const MAX_UNUSED = 8
/** The memory of bodies that have not been sent yet. */
const used = new WeakSet<ArrayBuffer>()

/** Returns the index in `unused` of the smallest size that holds `length` bytes. */
const sizeIndex = (length: number) => 32 - Math.clz32((length - 1) / MIN_REUSED)

/** Returns a buffer for a body, with arbitrary contents. `writeReply` reuses its memory after sending it. @param length in bytes */
export function takeBuffer(length: number): Buffer<ArrayBuffer> {
  const index = sizeIndex(length)
  if (index >= unused.length) return Buffer.allocUnsafeSlow(length)
  const memory = unused[index]?.pop() ?? new ArrayBuffer(MIN_REUSED << index)
  used.add(memory)
  return Buffer.from(memory, 0, length)
}

/** Makes the memory of a sent body available for another body, if it comes from `takeBuffer`. */
export function reuseMemory({ buffer }: Uint8Array<ArrayBuffer>): void {
  const kept = unused[sizeIndex(buffer.byteLength)]
  if (used.delete(buffer) && kept && kept.length < MAX_UNUSED) kept.push(buffer)
}
