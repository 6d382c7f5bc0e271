/** How far a pull has got, kept in the data folder so that the next one goes on where this one was cut. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ResourceName } from '../../catalog'
import { env } from '../../core/env'

/** A walk from the newest record to older ones that is not at its end. */
const walk = z.object({
  /** The last record that was taken over; the walk goes on behind it. */
  after: z.string().optional(),
  /** Where it ends: at the oldest record, or at the first page that is known already. */
  until: z.enum(['end', 'known']),
})
export type Walk = z.output<typeof walk>

const state = z.object({
  /** The walk that was cut, if one was. */
  walk: walk.optional(),
  /** Whether the oldest record was ever reached: only then nothing older can be missing. */
  complete: z.boolean(),
})
export type PullState = z.output<typeof state>

const NOTHING: PullState = { complete: false }

/** One file for each seller, service and resource; its name tells none of them. */
const fileOf = (seller: string, from: string, resource: ResourceName) =>
  join(
    env().DATA_DIR,
    'pulls',
    `${createHash('sha256')
      .update(JSON.stringify([seller, from, resource]))
      .digest('hex')
      .slice(0, 32)}.json`,
  )

/** What was never begun, or what can't be read, begins anew: nothing is lost by that but time. */
export async function readProgress(seller: string, from: string, resource: ResourceName): Promise<PullState> {
  const text = await readFile(fileOf(seller, from, resource), 'utf8').catch(() => undefined)
  if (text === undefined) return NOTHING
  try {
    return state.parse(JSON.parse(text))
  } catch {
    return NOTHING
  }
}

/** Whole or not at all: a kill in the middle leaves what was there. */
export async function writeProgress(seller: string, from: string, resource: ResourceName, next: PullState): Promise<void> {
  const file = fileOf(seller, from, resource)
  await mkdir(join(env().DATA_DIR, 'pulls'), { recursive: true })
  await writeFile(`${file}.next`, JSON.stringify(next), { mode: 0o600 })
  await rename(`${file}.next`, file)
}
