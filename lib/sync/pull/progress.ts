/** Stores the progress of a pull in the data directory, so that an interrupted pull can continue. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { withFileLock } from '@/db/file-lock'
import type { ResourceName } from '../../catalog'
import { env } from '../../core/env'

/** An unfinished walk through the list, from the newest record to older ones. */
const walkSchema = z.object({
  /** The ID of the last record on the last page that was processed. The walk continues after it. */
  after: z.string().optional(),
  /** Whether a full pull started the walk. A full pull continues only such a walk; other pulls continue any. */
  full: z.boolean().optional(),
  /** The creation time of the newest record when the walk started. */
  newest: z.string().optional(),
})
export type Walk = z.output<typeof walkSchema>

const stateSchema = z.object({
  /** The interrupted walk, if any. */
  walk: walkSchema.optional(),
  /** `newest` of the last completed walk: older records have all been read. If undefined, any record may be missing. */
  newest: z.string().optional(),
})
type PullState = z.output<typeof stateSchema>

const NO_PROGRESS: PullState = {}

/**
 * How long to wait for a lock, in milliseconds: long enough to take over the lock that a killed pull left behind. Waiting for a running pull
 * would be pointless, because it can take hours.
 */
const LOCK_WAIT_MS = 1_000

/** Reads the progress of a pull. If the file is missing or unreadable, the pull starts over. */
async function readState(file: string): Promise<PullState> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return NO_PROGRESS
  try {
    return stateSchema.parse(JSON.parse(text))
  } catch {
    return NO_PROGRESS
  }
}

/** Saves the progress of a pull atomically. */
async function writeState(file: string, next: PullState): Promise<void> {
  await writeFile(`${file}.next`, JSON.stringify(next), { mode: 0o600 })
  await rename(`${file}.next`, file)
}

/** The stored progress of a pull. */
export type Progress = { read(): Promise<PullState>; write(next: PullState): Promise<void> }

/**
 * Runs a pull unless another pull of the same list for the same seller is running. Two concurrent pulls would overwrite each other's
 * progress, and later pulls would miss records.
 *
 * @param from the URL of the service
 * @throws {FileLockedError} if another pull is running
 */
export async function withProgress<T>(
  seller: string,
  from: string,
  resource: ResourceName,
  pull: (progress: Progress) => Promise<T>,
): Promise<T> {
  const folder = join(env().DATA_DIR, 'pulls')
  // A hash, because a URL can be too long for a file name, and can contain characters that file names cannot.
  const hash = createHash('sha256').update(JSON.stringify([seller, from, resource]))
  const file = join(folder, `${hash.digest('hex').slice(0, 32)}.json`)
  await mkdir(folder, { recursive: true })
  const progress = { read: () => readState(file), write: (next: PullState) => writeState(file, next) }
  return withFileLock(`${file}.lock`, () => pull(progress), LOCK_WAIT_MS)
}
