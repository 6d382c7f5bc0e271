/** Takes a seller's own records in: checks each line, writes the good ones in batches, hands back the bad ones. */

import { setImmediate as turn } from 'node:timers/promises'
import type { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { isResourceName, resources } from '../../catalog'
import { placeOf, reasonOf } from '../../core/validation-issue'
import { targetOf } from '../records/bookings'
import { parseClean, Unfit } from '../records/clean'
import { pageTarget } from '../records/pages'
import type { Conflict, Row, Target } from '../records/target'
import { ticketTarget } from '../records/tickets'
import { hasAccount, holdAccount } from '../stripe/account'
import { adopt } from '../stripe/reconcile'
import { type Piece, splitRecords } from './split'

// Each target's row type is its own affair: what `toRow` makes, its `write` takes.
const targets = {
  pages: pageTarget,
  coupons: targetOf(resources.coupons),
  payments: targetOf(resources.payments),
  bookings: targetOf(resources.bookings),
  subscriptions: targetOf(resources.subscriptions),
  tickets: ticketTarget,
} as unknown as Record<ImportName, Target>

export const IMPORT_NAMES = ['pages', 'coupons', 'payments', 'bookings', 'subscriptions', 'tickets'] as const
export type ImportName = (typeof IMPORT_NAMES)[number]

/** A line that was refused: where it stood, what is wrong with it, and its text. */
export type Reject = { line: number; path: string; reason: string; text: string }

export type ImportResult = { resource: ImportName; read: number; written: number; unchanged: number; rejected: number }

export type ImportOptions = {
  resource: ImportName
  /** Whose records they become, whatever the lines say. */
  seller: string
  /** NDJSON, a JSON array, or a list answer of the API, in chunks. */
  input: AsyncIterable<Buffer>
  /** Leaves unknown members out; otherwise a line that has one is refused. */
  dropUnknown?: boolean
  onReject(reject: Reject): Promise<void> | void
  /** Called after each batch, with the lines read so far. */
  onProgress?(read: number): void
}

/** After so many records the event loop gets its turn. */
const TURN_EVERY = 25

/** A batch is full at either; with two workers this keeps an import, however long its input, under 300 MB. */
const BATCH_ROWS = 1000
const BATCH_BYTES = 1024 * 1024

/** Batches that are written at once, each on a connection of its own. An id always takes the same worker, so that its lines keep their order. */
const WORKERS = 2

/** A row, and the line that it came from: one with a code may well be refused when it is written. Of others the record is text enough. */
type Batch = Map<string, { row: Row; line: number; text: string }>
type Worker = {
  batch: Batch
  bytes: number
  /** The last batch that was handed over, and the one before it. */
  writing: Promise<void>
  waiting: Promise<void>
  /** The codes of the lines that are in `batch`, and in the batches that are not known to be written. */
  codes: Set<string>[]
}

const newWorker = (): Worker => ({
  batch: new Map(),
  bytes: 0,
  writing: Promise.resolve(),
  waiting: Promise.resolve(),
  codes: [new Set()],
})

function workerOf(workers: Worker[], id: string): Worker {
  const worker = workers[Number.parseInt(id.slice(-2), 16) % workers.length]
  if (!worker) throw new Error(`no worker for the id ${id}`)
  return worker
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? (error as { cause?: { code?: string } }).cause?.code

/** Two imports of the same records can get in each other's way: unique_violation, deadlock_detected, serialization_failure. */
const AGAIN = new Set(['23505', '40P01', '40001'])
const TRIES = 5

type Written = { written: number; conflicts: Conflict[] }
type Write = (rows: Row[]) => Promise<Written>

/** Rows of a seller whom Stripe tells of them too: each may take some statements more, and Stripe's events wait for them. */
const AT_ONCE_BESIDE_EVENTS = 100

/** How a batch is written: in one transaction, with what Stripe's events say of its records. */
async function writerOf(resource: ImportName, seller: string): Promise<{ write: Write; most: number }> {
  const target = targets[resource]
  if (isResourceName(resource) && (await hasAccount(seller))) {
    const write: Write = (rows) =>
      database().transaction(async (connection) => {
        await holdAccount(connection, seller)
        const result = await target.write(connection, seller, rows)
        const ids = rows.map(({ id }) => id)
        await adopt(connection, seller, resource, ids)
        return result
      })
    return { write, most: AT_ONCE_BESIDE_EVENTS }
  }
  const write = (connection: Connection, rows: Row[]) => target.write(connection, seller, rows)
  return {
    write: (rows) =>
      target.isOneStatement
        ? database().use((connection) => write(connection, rows))
        : database().transaction((connection) => write(connection, rows)),
    most: BATCH_ROWS,
  }
}

const sum = (all: Written[]): Written => ({
  written: all.reduce((total, { written }) => total + written, 0),
  conflicts: all.flatMap(({ conflicts }) => conflicts),
})

/** A row that PostgreSQL itself refuses is found by halving its batch, and stops no other. */
async function writeRows(write: Write, rows: Row[], tries = 1): Promise<Written> {
  try {
    return await write(rows)
  } catch (error) {
    const code = codeOf(error)
    if (AGAIN.has(code ?? '') && tries < TRIES) return writeRows(write, rows, tries + 1)
    const [only] = rows
    if (isUnavailable(error) || isSchemaMismatch(error) || !only || code === undefined) throw error
    if (rows.length === 1)
      return { written: 0, conflicts: [{ id: only.id, path: '', reason: `cannot be stored: PostgreSQL refuses it (${code})` }] }
    const middle = Math.ceil(rows.length / 2)
    const first = await writeRows(write, rows.slice(0, middle))
    return sum([first, await writeRows(write, rows.slice(middle))])
  }
}

/** Asked for each batch anew: an account may be connected while an import runs. */
async function writeBatch(resource: ImportName, seller: string, rows: Row[]): Promise<Written> {
  const { write, most } = await writerOf(resource, seller)
  const all: Written[] = []
  for (let at = 0; at < rows.length; at += most) all.push(await writeRows(write, rows.slice(at, at + most)))
  return sum(all)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A line that can't be taken. */
class Refused extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(reason)
  }
}

type Issue = z.core.$ZodIssue

/** Takes unknown members out of a line; answers whether there were any. */
function dropUnknownMembers(line: unknown, issues: Issue[]): boolean {
  let dropped = false
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const holder = issue.path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown>)[part], line) as Record<
      string,
      unknown
    >
    for (const key of issue.keys) delete holder[key]
    dropped = true
  }
  return dropped
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parseClean(text)
  } catch (error) {
    if (error instanceof Unfit) throw new Refused(error.path, error.reason)
    throw new Refused('', `is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused('', 'must be a JSON object')
  return value as Record<string, unknown>
}

function parseLine(target: Target, piece: Piece, text: string, { seller, dropUnknown }: ImportOptions): Row {
  if (piece.fault) throw new Refused('', piece.fault)
  const line = parseObject(text)
  target.complete(line, seller)
  let checked = target.line.safeParse(line)
  if (!checked.success && dropUnknown && dropUnknownMembers(line, checked.error.issues)) checked = target.line.safeParse(line)
  if (checked.success) return target.toRow(checked.data)
  const [issue] = checked.error.issues
  if (!issue) throw new Refused('', 'does not fit')
  const hint = issue.code === 'unrecognized_keys' ? ' of a record of this kind; --drop-unknown leaves such members out' : ''
  throw new Refused(placeOf(issue), hint ? `is not a member${hint}` : reasonOf(issue, line))
}

/**
 * Imports a stream of records. Upserts by id: the same input twice changes nothing the second time.
 * Each batch is one transaction, so that a kill or a fault leaves whole records only, and running again completes the rest.
 *
 * @throws {Unavailable} where the database goes away; what was written until then stays
 */
export async function importRecords(options: ImportOptions): Promise<ImportResult> {
  const { resource, seller, input, onReject, onProgress } = options
  const target = targets[resource]
  const result: ImportResult = { resource, read: 0, written: 0, unchanged: 0, rejected: 0 }
  const textOf = (bytes: Buffer) => bytes.toString('utf8')

  const reject = async (line: number, path: string, reason: string, text: string) => {
    result.rejected += 1
    await onReject({ line, path, reason, text })
  }

  const workers = Array.from({ length: WORKERS }, newWorker)

  const write = async (entries: Batch) => {
    const rows = [...entries.values()].map(({ row }) => row)
    const { written, conflicts } = await writeBatch(resource, seller, rows)
    result.written += written
    result.unchanged += rows.length - written - conflicts.length
    for (const { id, path, reason } of conflicts) {
      const entry = entries.get(id)
      if (entry) await reject(entry.line, path, reason, entry.text || entry.row.record)
    }
    onProgress?.(result.read)
  }

  /** One batch is written and one waits while the next is read and checked: neither side stands idle. */
  const flush = async (worker: Worker) => {
    await worker.waiting
    const entries = worker.batch
    worker.batch = new Map()
    worker.bytes = 0
    worker.codes = [new Set(), ...worker.codes.slice(0, 2)]
    if (entries.size === 0) return
    worker.waiting = worker.writing
    worker.writing = worker.writing.then(() => write(entries))
    // Awaited at a later flush; until then a failure must not count as unhandled.
    worker.writing.catch(() => {})
  }

  const finish = async () => {
    for (const worker of workers) await flush(worker)
    for (const worker of workers) await worker.writing
  }

  for await (const piece of splitRecords(input)) {
    result.read += 1
    // Otherwise the answers of what is being written would wait until a whole batch more had been read.
    if (result.read % TURN_EVERY === 0) await turn()
    try {
      let text: string
      try {
        text = decoder.decode(piece.bytes)
      } catch {
        throw new Refused('', 'is not valid UTF-8')
      }
      const row = parseLine(target, piece, text, options)
      const worker = workerOf(workers, row.id)
      // The same id again: the earlier line is written first, as if they had come in two files.
      if (worker.batch.has(row.id)) await flush(worker)
      // The same code in another worker: which of the two comes first must not be left to chance.
      const { code } = row
      if (code !== undefined && workers.some((other) => other !== worker && other.codes.some((codes) => codes.has(code)))) await finish()
      if (code !== undefined) worker.codes[0]?.add(code)
      worker.batch.set(row.id, { row, line: piece.line, text: code === undefined ? '' : text })
      worker.bytes += piece.bytes.length
      if (worker.batch.size >= BATCH_ROWS || worker.bytes >= BATCH_BYTES) await flush(worker)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      await reject(piece.line, error.path, error.reason, textOf(piece.bytes))
    }
  }
  await finish()
  return result
}
