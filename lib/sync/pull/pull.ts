/** Brings a resource over from another service: walks its list from the newest record, and takes each page in. */
import { Readable } from 'node:stream'
import type { ResourceName } from '../../catalog'
import { importRecords, type Reject } from '../import/import'
import { type PullState, readProgress, type Walk, writeProgress } from './progress'
import { renameMembers } from './rename'
import { type Source, SourceError } from './source'

export type PullResult = { resource: ResourceName; read: number; written: number; unchanged: number; rejected: number }

export type PullOptions = {
  resource: ResourceName
  seller: string
  /** The service's address: what was pulled from it before is known by it. */
  from: string
  source: Source
  /** Goes through everything again, where otherwise it stops at what is here already and unchanged. */
  full?: boolean
  dropUnknown?: boolean
  onReject(reject: Reject): Promise<void> | void
  /** Called after each page. @param total how many records the other service has */
  onProgress?(read: number, total: number): void
}

type Taken = Omit<PullResult, 'resource'>

const add = (a: Taken, b: Taken): Taken => ({
  read: a.read + b.read,
  written: a.written + b.written,
  unchanged: a.unchanged + b.unchanged,
  rejected: a.rejected + b.rejected,
})

const NONE: Taken = { read: 0, written: 0, unchanged: 0, rejected: 0 }

/** A cursor that the other service does not know any more: its record is gone there. */
const isLost = (error: unknown) => error instanceof SourceError && error.code === 'resource_missing'

/**
 * Pulls a resource. Pages are taken in one by one, each whole, so a cut loses nothing: the next run first finishes the walk that was
 * cut, then looks for what has come since. A change of an old record is found by `full` alone, for the list is in order of `createdAt`.
 *
 * @throws {SourceError} where the other service refuses, can't be reached, or is none of this API
 * @throws {Unavailable} where the database goes away
 */
export async function pullRecords(options: PullOptions): Promise<PullResult> {
  const { resource, seller, from, source, full = false, dropUnknown = false, onReject, onProgress } = options
  let sum = NONE

  const save = (state: PullState) => writeProgress(seller, from, resource, state)

  async function take(records: Record<string, unknown>[]): Promise<Taken> {
    const text = records.map((record) => JSON.stringify(renameMembers(record))).join('\n')
    const { resource: _, ...taken } = await importRecords({
      resource,
      seller,
      input: Readable.from([Buffer.from(text)]),
      dropUnknown,
      onReject,
    })
    return taken
  }

  /** @param resumed its first page may have been taken in before the cut, so that nothing new in it says nothing */
  async function go({ until, after: start }: Walk, complete: boolean, resumed: boolean): Promise<void> {
    let after = start
    for (let first = true; ; first = false) {
      await save({ walk: { until, ...(after === undefined ? {} : { after }) }, complete })
      const { records, hasMore, total } = await source.list(resource, after)
      const taken = await take(records)
      sum = add(sum, taken)
      onProgress?.(sum.read, total)
      const known = until === 'known' && taken.written === 0 && !(first && resumed)
      if (!hasMore || known) break
      const last = records.at(-1)?.id
      if (typeof last !== 'string' || last === after) {
        throw new SourceError(`The other service's list of ${resource} does not go on, though it says that there is more.`)
      }
      after = last
    }
    await save({ complete: true })
  }

  const { walk: cut, complete } = await readProgress(seller, from, resource)
  // A whole walk that was asked for is no going on with one that would stop early.
  const resumes = cut !== undefined && !(full && cut.until === 'known')
  try {
    if (resumes) await go(cut, complete, true)
    // Such a walk began at the top itself.
    if (!resumes || cut.after !== undefined) {
      const until = resumes || (complete && !full) ? 'known' : 'end'
      await go({ until }, complete || resumes, false)
    }
  } catch (error) {
    // Where the walk was cut can't be told any more: from the top, to the end.
    if (!resumes || !isLost(error)) throw error
    await go({ until: 'end' }, false, false)
  }
  return { resource, ...sum }
}
