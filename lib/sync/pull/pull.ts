/** Copies a resource from another service: walks its list from the newest record and imports each page. */
import { Readable } from 'node:stream'
import type { ResourceName } from '../../catalog'
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
   * Whether to read the whole list, even if it has been read before. Otherwise, the pull stops at the first page with unchanged records and
   * no new or changed ones.
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
   * @param isComplete whether an earlier walk has reached the oldest record
   * @param isResumed whether the first page might already have been imported; if so, the walk continues even if that page is unchanged
   */
  async function walkList(walk: Walk, isComplete: boolean, isResumed: boolean): Promise<void> {
    let { after } = walk
    for (let isFirst = true; ; isFirst = false) {
      await progress.write({ walk: { ...walk, ...(after === undefined ? {} : { after }) }, complete: isComplete })
      const { records, hasMore, total } = await source.list(resource, after)
      const page = await importPage(records)
      onProgress?.(result.read, total)
      // A page with only rejected records does not show whether older ones are known.
      const isKnown = walk.until === 'known' && page.written === 0 && page.unchanged > 0 && !(isFirst && isResumed)
      if (!hasMore || isKnown) break
      const last = records.at(-1)?.id
      if (typeof last !== 'string' || last === after) {
        throw new SourceError(`The other service reports more ${resource}, but its list does not continue. Report this to its operator.`)
      }
      after = last
    }
    await progress.write({ complete: true })
  }

  const { walk: interrupted, complete: isComplete } = await progress.read()
  // A full pull does not resume other walks: they stop early, or have already read the first pages, which might have changed since then.
  const isResuming = interrupted !== undefined && (!full || interrupted.full === true)
  const first: Walk = isResuming ? interrupted : isComplete && !full ? { until: 'known' } : { until: 'end', full }
  await onStart?.(first.until === 'end' && first.after === undefined)
  try {
    await walkList(first, isComplete, isResuming)
    // A walk without a cursor started at the newest record, so no second walk is needed.
    if (first.after !== undefined) await walkList({ until: 'known' }, true, false)
  } catch (error) {
    // The cursor's record was deleted, before or during this pull, so the whole list is walked.
    if (!isCursorLost(error)) throw error
    await onStart?.(true)
    result.rejected = 0
    await walkList({ until: 'end', full }, false, false)
  }
  return result
}
