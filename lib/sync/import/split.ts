/** Splits a stream of bytes into records: NDJSON, a JSON array, or a list response from the API (`{"data":[…]}`). */

/** A record of the input as unparsed bytes. */
export type RawRecord = {
  /** The line number of the start of the record, from 1. */
  line: number
  /** At most the first 200 bytes if the record is too long. */
  bytes: Buffer
  /** Why the record cannot be parsed. */
  error?: string
}

/** The maximum length of a record, far more than any record needs. Without a limit, a file without line breaks would exhaust the memory. */
const MAX_RECORD_BYTES = 1024 * 1024
const TOO_LONG = 'is longer than 1 MiB, the limit for one record'

const NEWLINE = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])
const COMMA = 0x2c
const SPACE = new Set([0x09, 0x0a, 0x0d, 0x20])

/** The start of a list response: an object whose members before `data` are scalars. */
const LIST_HEAD = /^\s*\{(?:\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[^\s"[{,}]+)\s*,)*\s*"data"\s*:\s*\[/
const HEAD_BYTES = 4096

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** The start of the next list: its line number, and the bytes that have already been read. */
type Unread = { line: number; bytes: Buffer }

/**
 * Splits the input into records. The input may contain multiple consecutive arrays or list responses, such as saved pages.
 *
 * @param chunks the input, in chunks of any size
 */
export async function* splitRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawRecord> {
  const iterator = chunks[Symbol.asyncIterator]()
  let unread: Unread | undefined = { line: 1, bytes: Buffer.alloc(0) }
  while (unread) {
    const { line }: Unread = unread
    const head = await readHead(unread.bytes, iterator)
    const rest = chain(head, iterator)

    const start = head.toString('latin1', 0, HEAD_BYTES)
    const list = LIST_HEAD.exec(start)
    if (/^\s*\[/.test(start)) unread = yield* splitArray(rest, start.indexOf('[') + 1, 0, line)
    // A record can also have a member `data`, but a list response has no `id`.
    else if (list && !/"id"\s*:/.test(list[0])) unread = yield* splitArray(rest, list[0].length, 1, line)
    else return yield* splitLines(rest, line)
  }
}

/** Returns `unread` and further chunks, together at least `HEAD_BYTES` unless the input ends earlier. Removes a byte-order mark. */
async function readHead(unread: Buffer, iterator: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = unread
  while (head.length < HEAD_BYTES) {
    const next = await iterator.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  return head.subarray(0, 3).equals(BYTE_ORDER_MARK) ? head.subarray(3) : head
}

/** Yields the bytes that have already been read, and then the remaining chunks. */
async function* chain(head: Buffer, iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  for (;;) {
    const next = await iterator.next()
    if (next.done) return
    yield next.value
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => SPACE.has(byte))

/** Collects the bytes of one record at a time. Keeps only the start of a record that is too long. */
function createCollector() {
  let parts: Buffer[] = []
  let length = 0
  return {
    isEmpty: () => length === 0,
    take(bytes: Buffer): void {
      length += bytes.length
      if (length > MAX_RECORD_BYTES) parts = [(parts[0] ?? bytes).subarray(0, 200)]
      else if (bytes.length > 0) parts.push(bytes)
    },
    /** Returns the record, unless it is blank, and starts the next one. @param problem why the record cannot be parsed */
    finish(line: number, problem?: string): RawRecord | undefined {
      const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const error = length > MAX_RECORD_BYTES ? TOO_LONG : problem
      parts = []
      length = 0
      if (isBlank(bytes)) return undefined
      return error ? { line, bytes, error } : { line, bytes }
    },
  }
}

/** Splits NDJSON into its lines, without blank ones. @param firstLine the number of the first line */
async function* splitLines(chunks: AsyncIterable<Buffer>, firstLine: number): AsyncGenerator<RawRecord> {
  const collector = createCollector()
  let line = firstLine
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      collector.take(chunk.subarray(from, end))
      const record = collector.finish(line)
      if (record) yield record
      line += 1
      from = end + 1
    }
    collector.take(chunk.subarray(from))
  }
  const last = collector.finish(line)
  if (last) yield last
}

/**
 * Splits an array into its elements by nesting depth. Errors inside an element are found when the element is parsed.
 *
 * @param skip the number of bytes before the first element
 * @param enclosing the number of objects that enclose the array
 * @param firstLine the number of the first line
 * @returns the start of the list that follows, if any
 */
async function* splitArray(
  chunks: AsyncGenerator<Buffer>,
  skip: number,
  enclosing: number,
  firstLine: number,
): AsyncGenerator<RawRecord, Unread | undefined> {
  let line = firstLine
  let depth = 0
  let inString = false
  let isEscaped = false
  /** The number of enclosing objects that are still open; undefined inside the array. */
  let closing: number | undefined
  const collector = createCollector()
  let startLine = firstLine
  let position = 0

  for (;;) {
    const { done, value: chunk } = await chunks.next()
    if (done) break
    let from = Math.min(chunk.length, Math.max(0, skip - position))
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] as number
      if (closing === 0 && !SPACE.has(byte)) return { line, bytes: chunk.subarray(index) }
      if (byte === NEWLINE) line += 1
      if (position + index < skip) continue
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) inString = false
        continue
      }
      if (closing !== undefined) {
        if (byte === QUOTE) inString = true
        else if (OPEN.has(byte)) closing += 1
        else if (CLOSE.has(byte)) closing -= 1
        continue
      }
      if (index === from && collector.isEmpty() && SPACE.has(byte)) {
        from = index + 1
        continue
      }
      if (index === from && collector.isEmpty()) startLine = line
      if (byte === QUOTE) inString = true
      else if (OPEN.has(byte)) depth += 1
      else if (depth > 0 && CLOSE.has(byte)) depth -= 1
      else if (depth === 0 && (byte === COMMA || CLOSE.has(byte))) {
        collector.take(chunk.subarray(from, index))
        const record = collector.finish(startLine)
        if (record) yield record
        from = index + 1
        if (byte !== COMMA) closing = enclosing
      }
    }
    if (closing === undefined) collector.take(chunk.subarray(from))
    position += chunk.length
  }
  if (closing !== undefined) return undefined
  const rest = collector.finish(startLine, 'is incomplete: the file ends within the record')
  yield rest ?? { line, bytes: Buffer.alloc(0), error: 'The file is incomplete: the list is not closed' }
  return undefined
}
