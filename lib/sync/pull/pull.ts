/** Copies a resource from another service: walks its list from the newest record and imports each page. */
import { Readable } from 'node:stream'
import type { ResourceName } from '../../catalog'
import { instant } from '../../catalog/shapes'
import { type ImportResult, importRecords, type Reject } from '../import/import'
import { type Progress, type Walk, withProgress } from './progress'
import { type Source, SourceError } from './source'

export type PullOptions = {
  resource: ResourceName
  /** The ID of the seller that the records are copied for. */
  seller: string
  /** The service's URL, which also identifies the progress of earlier pulls. */
  from: string
  source: Source
  /**
   * Whether to read the whole list, even if it has been read before. Otherwise, the pull reads all records created since the last complete
   * one, and then stops at the first page with unchanged records and no new or changed ones.
   */
  full?: boolean
  /** Whether to remove unknown members. Otherwise, records with unknown members are rejected. */
  dropUnknown?: boolean
  /**
   * Called before the first page is read, while no other pull of the same list can run. Called again if the pull starts over.
   *
   * @param isWhole whether the whole list is read, in which case records that were rejected before are rejected again
   */
  onStart?(isWhole: boolean): Promise<void>
  onReject(reject: Reject): Promise<void> | void
  /** Called after each page. @param read the number of records read so far @param total the number of records at the other service */
  onProgress?(read: number, total: number): void
}

const COUNTS = ['read', 'written', 'unchanged', 'rejected'] as const

/** The maps whose keys come from customers and are not renamed. */
const FREE_MAPS = new Set(['queryParameters'])

const toGatewayName = (name: string) => name.replace(/stripe/g, 'gateway').replace(/Stripe/g, 'Gateway')

/**
 * Returns a copy in which the payment provider's name in the names of members is replaced: `stripeChargeId` becomes `gatewayChargeId`. If a
 * record has both names, the `gateway` name takes precedence.
 */
export function renameMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameMembers)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const gatewayName = toGatewayName(name)
    if (gatewayName !== name && Object.hasOwn(value, gatewayName)) continue
    copy[gatewayName] = FREE_MAPS.has(gatewayName) ? member : renameMembers(member)
  }
  return copy
}

/** Returns whether the error means that the cursor's record no longer exists at the other service. */
const isCursorLost = (error: unknown) => error instanceof SourceError && error.code === 'resource_missing'

/**
 * Pulls a resource page by page. After an interruption, the next run first finishes the interrupted walk and then looks for newer records.
 * Changes to older records are found only with `full`, because the list is ordered by `createdAt`. With `full`, only a walk that was
 * started with `full` is finished.
 *
 * @throws {SourceError} if the other service rejects a request, cannot be reached, or does not have this API
 * @throws {UnavailableError} if the database becomes unavailable
 * @throws {FileLockedError} if another pull of the same list for the same seller is running
 */
export const pullRecords = (options: PullOptions): Promise<ImportResult> =>
  withProgress(options.seller, options.from, options.resource, (progress) => pullList(options, progress))

async function pullList(options: PullOptions, progress: Progress): Promise<ImportResult> {
  const { resource, seller, source, full = false, dropUnknown = false, onStart, onReject, onProgress } = options
  const result: ImportResult = { resource, read: 0, written: 0, unchanged: 0, rejected: 0 }

  async function importPage(records: Record<string, unknown>[]): Promise<ImportResult> {
    const text = records.map((record) => JSON.stringify(renameMembers(record))).join('\n')
    const input = Readable.from([Buffer.from(text)])
    const page = await importRecords({ resource, seller, input, dropUnknown, events: true, onReject })
    for (const name of COUNTS) result[name] += page[name]
    return page
  }

  /**
   * Walks the list.
   *
   * @param newest `newest` of the last completed walk; if undefined, the whole list is read
   * @returns `newest` of this walk
   */
  async function walkList(walk: Walk, newest?: string): Promise<string | undefined> {
    let current = walk
    for (;;) {
      await progress.write({ walk: current, newest })
      const { records, hasMore, total } = await source.list(resource, current.after)
      const page = await importPage(records)
      onProgress?.(result.read, total)
      const times = records.flatMap(({ createdAt }) => instant.safeParse(createdAt).data ?? [])
      current = { ...current, newest: current.newest ?? times[0] }
      // Unchanged records do not show that older ones have been read: a customer may have been created from an order instead. Records with
      // the same timestamp as the newest one may have been created later.
      const isPastNewest = newest !== undefined && times.some((time) => time < newest)
      // A page with only rejected records does not show whether older ones are unchanged.
      const isKnown = isPastNewest && !walk.full && page.written === 0 && page.unchanged > 0
      if (!hasMore || isKnown) break
      const last = records.at(-1)?.id
      if (typeof last !== 'string' || last === current.after) {
        throw new SourceError(`The other service reports more ${resource}, but its list does not continue. Report this to its operator.`)
      }
      current = { ...current, after: last }
    }
    await progress.write({ newest: current.newest })
    return current.newest
  }

  const { walk: interrupted, newest } = await progress.read()
  // A full pull does not resume other walks: they stop early, or have already read the first pages, which might have changed since then.
  const first: Walk = interrupted && (!full || interrupted.full) ? interrupted : { full }
  await onStart?.(first.after === undefined && (first.full === true || newest === undefined))
  try {
    const firstNewest = await walkList(first, newest)
    // A walk without a cursor started at the newest record, so no second walk is needed.
    if (first.after !== undefined) await walkList({}, firstNewest)
  } catch (error) {
    // The cursor's record was deleted, before or during this pull, so the whole list is walked.
    if (!isCursorLost(error)) throw error
    await onStart?.(true)
    result.rejected = 0
    await walkList({ full })
  }
  return result
}
