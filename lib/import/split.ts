/** Cuts a stream of bytes into records: NDJSON, one JSON array, or a list answer of the API (`{"data":[…]}`). */

/** One record as it stood in the input, not parsed yet, or why it can't be. */
export type Piece = { line: number; bytes: Buffer; fault?: string }

/** No record comes near this; without a bound, a file that never ends its first line would fill the memory. */
const MAX_RECORD_BYTES = 1024 * 1024
const TOO_LONG = 'is longer than 1 MiB, which no record is'

const NEWLINE = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])
const COMMA = 0x2c
const SPACE = new Set([0x09, 0x0a, 0x0d, 0x20])

/** The start of a list answer: an object whose members up to `data` are scalars. */
const LIST_HEAD = /^\s*\{(?:\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[^\s"[{,}]+)\s*,)*\s*"data"\s*:\s*\[/
const HEAD_BYTES = 4096

/** @param chunks the input, in pieces of any size; not a whole file */
export async function* splitRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const iterator = chunks[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  let done = false
  while (!done && head.length < HEAD_BYTES) {
    const next = await iterator.next()
    if (next.done) done = true
    else head = Buffer.concat([head, next.value])
  }
  if (head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) head = head.subarray(3)

  async function* all(): AsyncGenerator<Buffer> {
    yield head
    while (!done) {
      const next = await iterator.next()
      if (next.done) return
      yield next.value
    }
  }

  const start = head.toString('latin1', 0, HEAD_BYTES)
  const opening = /^\s*\[/.exec(start) ?? LIST_HEAD.exec(start)
  if (opening) yield* splitArray(all(), opening[0].length)
  else yield* splitLines(all())
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => SPACE.has(byte))

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let line = 1
  let parts: Buffer[] = []
  let length = 0
  let tooLong = false

  const take = (bytes: Buffer) => {
    length += bytes.length
    if (length > MAX_RECORD_BYTES) {
      tooLong = true
      parts = [(parts[0] ?? bytes).subarray(0, 200)]
    } else parts.push(bytes)
  }
  const finish = (): Piece | undefined => {
    const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
    const piece = tooLong ? { line, bytes, fault: TOO_LONG } : { line, bytes }
    parts = []
    length = 0
    tooLong = false
    return isBlank(bytes) ? undefined : piece
  }

  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end))
      const piece = finish()
      if (piece) yield piece
      line += 1
      from = end + 1
    }
    if (from < chunk.length) take(chunk.subarray(from))
  }
  const last = finish()
  if (last) yield last
}

/** Reads the elements of the array that opens before byte `skip`, by depth alone: what is broken inside one is found when it is parsed. */
async function* splitArray(chunks: AsyncIterable<Buffer>, skip: number): AsyncGenerator<Piece> {
  let line = 1
  let depth = 0
  let inString = false
  let escaped = false
  let over = false
  let tooLong = false
  let parts: Buffer[] = []
  let length = 0
  let startLine = 1
  let position = 0

  const take = (bytes: Buffer) => {
    length += bytes.length
    if (length > MAX_RECORD_BYTES) {
      tooLong = true
      parts = [(parts[0] ?? bytes).subarray(0, 200)]
    } else if (bytes.length > 0) parts.push(bytes)
  }
  const finish = (fault?: string): Piece | undefined => {
    const bytes = Buffer.concat(parts)
    const reason = tooLong ? TOO_LONG : fault
    parts = []
    length = 0
    tooLong = false
    if (isBlank(bytes)) return undefined
    return reason ? { line: startLine, bytes, fault: reason } : { line: startLine, bytes }
  }

  for await (const chunk of chunks) {
    let from = Math.min(chunk.length, Math.max(0, skip - position))
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === NEWLINE) line += 1
      if (position + at < skip || over) continue
      if (inString) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) inString = false
        continue
      }
      if (length === 0 && at === from && SPACE.has(byte)) {
        from = at + 1
        continue
      }
      if (length === 0 && at === from) startLine = line
      if (byte === QUOTE) inString = true
      else if (OPEN.has(byte)) depth += 1
      else if (depth > 0 && CLOSE.has(byte)) depth -= 1
      else if (depth === 0 && (byte === COMMA || CLOSE.has(byte))) {
        take(chunk.subarray(from, at))
        const piece = finish()
        if (piece) yield piece
        from = at + 1
        over = byte !== COMMA
      }
    }
    if (!over && from < chunk.length) take(chunk.subarray(from))
    position += chunk.length
  }
  if (over) return
  const rest = finish('is cut off: the file ends in the middle of it')
  yield rest ?? { line, bytes: Buffer.alloc(0), fault: 'The file is cut off: its list is never closed' }
}
