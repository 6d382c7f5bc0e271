/** Imports a seller's records: validates each line, writes the valid ones in batches, and reports the rejected ones. */
import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Connection, database, nameConnection } from '@/db/client'
import { READINESS_PATTERN } from '@/db/is-migrated'
import { getSqlState, isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { isResourceName, RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { describeIssue, formatIssuePath } from '../../core/validation-issue'
import { lockCodes } from '../edit/coupons'
import { hasAccount, lockAccount } from '../stripe/account'
import { applyProcessedEvents, findMentionedIds, reconcile, reconcileSharedObjects } from '../stripe/reconcile'
import { InvalidValueError, parseClean } from '../writers/clean'
import { pageWriter } from '../writers/page-writer'
import { productWriter } from '../writers/product-writer'
import { ticketWriter } from '../writers/ticket-writer'
import type { Conflict, RecordWriter, Row } from '../writers/writer'
import { writerFor } from '../writers/writer-for'
import { type RawRecord, splitRecords } from './split'

/** The resources that can be imported and exported. */
export type ImportName = 'pages' | 'products' | ResourceName | 'tickets'
export const IMPORT_NAMES: readonly ImportName[] = ['pages', 'products', ...RESOURCE_NAMES, 'tickets']

// Each writer has its own row type, which `toRow` returns and `write` takes. This cannot be expressed in the type of a map of writers.
const writers = {
  pages: pageWriter,
  products: productWriter,
  ...Object.fromEntries(Object.values(resources).map((resource) => [resource.name, writerFor(resource)])),
  tickets: ticketWriter,
} as unknown as Record<ImportName, RecordWriter>

/** A rejected line: its number, the path of the invalid member, the reason, and the text, which is empty if the line is not UTF-8. */
export type Reject = { line: number; path: string; reason: string; text: string }

/** How many records were read, created or changed, already up to date, and rejected. */
export type ImportResult = { resource: ImportName; read: number; written: number; unchanged: number; rejected: number }

type ImportOptions = {
  resource: ImportName
  /** The ID of the seller that the records are imported for. Seller IDs in the lines are ignored. */
  seller: string
  /** The input in chunks: NDJSON, a JSON array, or a list response from the API. */
  input: AsyncIterable<Buffer>
  /** Whether to remove unknown members. Otherwise, lines with unknown members are rejected. */
  dropUnknown?: boolean
  /** Whether to write events. False by default, so that importing existing records does not notify anyone. */
  events?: boolean
  onReject(reject: Reject): Promise<void> | void
  /** Called after each batch with the number of records read so far. */
  onProgress?(read: number): void
}

/** The import yields to the event loop each time it has read this many records. */
const YIELD_EVERY = 25

/**
 * A batch is full when it reaches either limit. Batches of 1,000 rows are hardly faster, but check-ins, which compete with each batch for
 * CPU time and the disk, take up to four times as long (docs/faults.md). With two workers, the second limit keeps the memory of any import
 * under 300 MB.
 */
const BATCH_ROWS = 250
const BATCH_BYTES = 1024 * 1024

/** The number of batches written in parallel. All lines with the same ID go to the same worker, so that they stay in order. */
const WORKERS = 2

/** Rows by ID, with their line numbers. The text is kept only for rows with a code, which might still be rejected when they are written. */
type Batch = Map<string, { row: Row; line: number; text: string }>
type Worker = {
  batch: Batch
  bytes: number
  /** Resolves when the last flushed batch has been written. */
  lastWrite: Promise<void>
  /** Resolves when the batch flushed before that one has been written. */
  previousWrite: Promise<void>
  /** The codes in `batch` and in batches that might not have been written yet. */
  codes: Set<string>[]
}

const newWorker = (): Worker => ({
  batch: new Map(),
  bytes: 0,
  lastWrite: Promise.resolve(),
  previousWrite: Promise.resolve(),
  codes: [new Set()],
})

function pickWorker(workers: Worker[], id: string): Worker {
  const worker = workers[id.charCodeAt(id.length - 1) % workers.length]
  if (!worker) throw new Error(`No worker for the ID ${id}.`)
  return worker
}

/** The SQLSTATE insufficient_privilege. It concerns the database user, not the row. */
const INSUFFICIENT_PRIVILEGE = '42501'

/** Errors that concurrent imports can cause: unique_violation, deadlock_detected, serialization_failure. */
const RETRYABLE = new Set(['23505', '40P01', '40001'])
const MAX_ATTEMPTS = 5

type WriteResult = { written: number; conflicts: Conflict[] }
type Write = (rows: Row[]) => Promise<WriteResult>

/** Batches are smaller if the seller has a Stripe account: each row may need more statements, and the seller's events have to wait. */
const STRIPE_BATCH_ROWS = 100

/** Turns off the triggers that write events, for the rest of the transaction. */
const WITHOUT_EVENTS = sql`select set_config('desk.events', 'off', true)`

/** Turns off the lock timeout, because an erasure may hold locks for longer. The statement timeout still applies. */
const WITHOUT_LOCK_TIMEOUT = sql`select set_config('lock_timeout', '0', true)`

/** Returns a coupon's Stripe ID, if any, which `reconcile` locks as a code. */
const listStripeIds = ({ record }: Row): string[] => {
  const { gatewayCouponId } = JSON.parse(record) as { gatewayCouponId?: string }
  return gatewayCouponId ? [gatewayCouponId] : []
}

const getId = ({ id }: { id: string }) => id

/** Writes records of a seller with a Stripe account, and applies the Stripe events about them that have already been processed. */
async function writeSynced(connection: Connection, resource: ResourceName, seller: string, rows: Row[]): Promise<WriteResult> {
  await lockAccount(connection, seller)
  // Reconciliation locks these codes too. An edit locks a code before the coupon's row, and the opposite order could cause a deadlock.
  if (resource === 'coupons') await lockCodes(connection, seller, rows.flatMap(listStripeIds))
  const mentioned = await findMentionedIds(connection, seller, resource, rows)
  // Stripe's events are applied before the rows are written. Otherwise, an outdated line would change its record, these events would
  // change it back, and both changes would be recorded as events.
  const patched = await applyProcessedEvents(connection, seller, resource, mentioned, rows)
  const result = await writers[resource].write(connection, seller, patched)
  await reconcileSharedObjects(connection, seller, resource, mentioned, rows.map(getId))
  const customers = patched.flatMap(({ customer }) => customer ?? [])
  const mentionedCustomers = await findMentionedIds(connection, seller, 'customers', customers)
  await reconcile(connection, seller, 'customer', mentionedCustomers, customers.map(getId))
  return result
}

const mergeResults = (all: WriteResult[]): WriteResult => ({
  written: all.reduce((total, { written }) => total + written, 0),
  conflicts: all.flatMap(({ conflicts }) => conflicts),
})

/** Writes rows. Retries conflicts with other writers. If PostgreSQL rejects a row, bisects the batch to find it, and writes the others. */
async function writeRows(write: Write, rows: Row[], attempt = 1): Promise<WriteResult> {
  try {
    return await write(rows)
  } catch (error) {
    const code = getSqlState(error)
    if (RETRYABLE.has(code ?? '') && attempt < MAX_ATTEMPTS) return writeRows(write, rows, attempt + 1)
    const [only] = rows
    if (isUnavailable(error) || isSchemaMismatch(error) || !only || code === undefined || code === INSUFFICIENT_PRIVILEGE) throw error
    if (rows.length === 1)
      return { written: 0, conflicts: [{ id: only.id, path: '', reason: `cannot be stored: PostgreSQL error ${code}` }] }
    const middle = Math.ceil(rows.length / 2)
    const first = await writeRows(write, rows.slice(0, middle))
    return mergeResults([first, await writeRows(write, rows.slice(middle))])
  }
}

/** Check-in is active if one of its connections is in use, or was in use within this many milliseconds. */
const RECENT_MS = 500

/**
 * Returns whether check-in is active on any server, as far as PostgreSQL lets this user see other users' connections. A readiness probe,
 * which uses a check-in connection, does not count.
 */
async function isCheckInActive(): Promise<boolean> {
  const [found] = await database().query<{ isActive: boolean }>(sql`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = ${nameConnection('doors')}
        and (state <> 'idle' or state_change > clock_timestamp() - ${`${RECENT_MS} ms`}::interval) and query not like ${READINESS_PATTERN}
    ) as "isActive"`)
  return found?.isActive === true
}

/** Writes a batch in one or more transactions. Checks for a Stripe account each time, because one may be connected during an import. */
async function writeBatch({ resource, seller, events = false }: ImportOptions, rows: Row[]): Promise<WriteResult> {
  const isSynced = isResourceName(resource) && (await hasAccount(seller))
  const write: Write = (part) =>
    database().transaction(async (connection) => {
      await connection.rows(WITHOUT_LOCK_TIMEOUT)
      if (!events) await connection.rows(WITHOUT_EVENTS)
      return isSynced ? writeSynced(connection, resource, seller, part) : writers[resource].write(connection, seller, part)
    })
  const size = isSynced ? STRIPE_BATCH_ROWS : BATCH_ROWS
  const all: WriteResult[] = []
  for (let start = 0; start < rows.length; start += size) all.push(await writeRows(write, rows.slice(start, start + size)))
  return mergeResults(all)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes a record. @param isCut whether only the start of the record was kept, which may end within a character */
function decode(bytes: Buffer, isCut: boolean): string {
  // ASCII in UTF-16 is valid UTF-8, but every other byte is NUL, which JSON never contains.
  if (bytes.includes(0)) throw new InvalidValueError('', 'contains a NUL byte. If the input is in UTF-16, convert it to UTF-8')
  try {
    return isCut ? new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }) : decoder.decode(bytes)
  } catch {
    throw new InvalidValueError('', 'is not valid UTF-8')
  }
}

type Issue = z.core.$ZodIssue

/** Removes the unknown members of a line. @returns whether there were any */
function dropUnknownMembers(line: unknown, issues: Issue[]): boolean {
  let hasUnknown = false
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const holder = issue.path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown>)[part], line) as Record<
      string,
      unknown
    >
    for (const key of issue.keys) delete holder[key]
    hasUnknown = true
  }
  return hasUnknown
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parseClean(text)
  } catch (error) {
    if (error instanceof InvalidValueError) throw error
    throw new InvalidValueError('', `is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidValueError('', 'must be a JSON object')
  return value as Record<string, unknown>
}

function parseLine(writer: RecordWriter, piece: RawRecord, text: string, { seller, dropUnknown }: ImportOptions): Row {
  if (piece.error) throw new InvalidValueError('', piece.error)
  const line = parseObject(text)
  writer.complete(line, seller)
  let checked = writer.lineSchema.safeParse(line)
  if (!checked.success && dropUnknown && dropUnknownMembers(line, checked.error.issues)) checked = writer.lineSchema.safeParse(line)
  if (checked.success) return writer.toRow(checked.data)
  const [issue] = checked.error.issues
  if (!issue) throw new InvalidValueError('', 'is not valid')
  if (issue.code === 'unrecognized_keys')
    throw new InvalidValueError(
      formatIssuePath(issue),
      'is not a known member of this resource. To ignore unknown members, use --drop-unknown',
    )
  throw new InvalidValueError(formatIssuePath(issue), describeIssue(issue, line))
}

/**
 * Imports a stream of records. Records are upserted by ID, so importing the same input again changes nothing, and running an interrupted
 * import again completes it.
 *
 * @throws {UnavailableError} if the database becomes unavailable; batches written before that are kept
 */
export async function importRecords(options: ImportOptions): Promise<ImportResult> {
  const workers = Array.from({ length: WORKERS }, newWorker)
  try {
    return await runImport(options, workers)
  } finally {
    // After a failure, callers close the database and report what was written, so nothing may be written later.
    await Promise.allSettled(workers.map(({ lastWrite }) => lastWrite))
  }
}

async function runImport(options: ImportOptions, workers: Worker[]): Promise<ImportResult> {
  const { resource, input, onReject, onProgress } = options
  const writer = writers[resource]
  const result: ImportResult = { resource, read: 0, written: 0, unchanged: 0, rejected: 0 }

  const reject = async (line: number, path: string, reason: string, text: string) => {
    result.rejected += 1
    await onReject({ line, path, reason, text })
  }

  const write = async (entries: Batch) => {
    const rows = [...entries.values()].map(({ row }) => row)
    const startedAt = performance.now()
    const { written, conflicts } = await writeBatch(options, rows)
    const ms = performance.now() - startedAt
    result.written += written
    result.unchanged += rows.length - written - conflicts.length
    for (const { id, path, reason } of conflicts) {
      const entry = entries.get(id)
      if (entry) await reject(entry.line, path, reason, entry.text || entry.row.record)
    }
    onProgress?.(result.read)
    // Pauses for as long as the batch took, so that the import runs at about half its speed during check-in.
    if (await isCheckInActive()) await pause(ms)
  }

  /**
   * Queues a batch to be written. While one batch is being read, another is written and a third is queued, so that neither reading nor
   * writing is idle.
   */
  const flush = async (worker: Worker) => {
    await worker.previousWrite
    const entries = worker.batch
    worker.batch = new Map()
    worker.bytes = 0
    worker.codes = [new Set(), ...worker.codes.slice(0, 2)]
    if (entries.size === 0) return
    worker.previousWrite = worker.lastWrite
    worker.lastWrite = worker.lastWrite.then(() => write(entries))
    // A later flush awaits this promise. Until then, the handler prevents an unhandled rejection.
    worker.lastWrite.catch(() => {})
  }

  const flushAll = async () => {
    for (const worker of workers) await flush(worker)
    for (const worker of workers) await worker.lastWrite
  }

  for await (const piece of splitRecords(input)) {
    result.read += 1
    // Yields, because otherwise PostgreSQL's responses would not be processed until the whole next batch has been read.
    if (result.read % YIELD_EVERY === 0) await yieldToEventLoop()
    // Empty unless the line can be decoded, because client secrets could not be recognized and redacted in another encoding.
    let text = ''
    try {
      text = decode(piece.bytes, piece.error !== undefined)
      const row = parseLine(writer, piece, text, options)
      const worker = pickWorker(workers, row.id)
      // If the batch already contains the ID, the earlier line is written first, as if the lines were in separate files.
      if (worker.batch.has(row.id)) await flush(worker)
      // If another worker has the same code, everything read so far is written first, so that the result does not depend on timing.
      const { code } = row
      if (code !== undefined && workers.some((other) => other !== worker && other.codes.some((codes) => codes.has(code)))) await flushAll()
      if (code !== undefined) worker.codes[0]?.add(code)
      worker.batch.set(row.id, { row, line: piece.line, text: code === undefined ? '' : text })
      worker.bytes += piece.bytes.length
      if (worker.batch.size >= BATCH_ROWS || worker.bytes >= BATCH_BYTES) await flush(worker)
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      await reject(piece.line, error.path, error.reason, text)
    }
  }
  await flushAll()
  return result
}
