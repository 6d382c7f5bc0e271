/** Keeps the known tokens of check-in devices in memory, so that forged ones can be recognized without a query. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { devices } from '@/db/schema'
import { hashToken } from './token'

/** The hashes of all tokens that were ever loaded. They affect how a lookup is limited, but not its result. */
const known = new Set<string>()
/**
 * How far each load reaches back before the previous one, in milliseconds. The time of a device's setup is the start of its transaction,
 * which might have committed only after the previous load.
 */
const OVERLAP_MS = 60_000
let loadedAt: number | undefined

/** Adds all devices that can send requests on the first call, and those set up since the last call on later calls. */
export async function loadKnownDevices(): Promise<void> {
  const start = performance.now()
  const sinceMs = loadedAt === undefined ? null : start - loadedAt + OVERLAP_MS
  const found = await database().query<{ hash: Buffer }>(sql`
    select ${devices.tokenHash} as hash from ${devices}
    where ${devices.tokenHash} is not null and ${devices.revokedAt} is null and ${devices.expiresAt} > now()
      and (${sinceMs}::float8 is null or ${devices.enrolledAt} >= now() - ${sinceMs}::float8 * interval '1 millisecond')`)
  for (const { hash } of found) known.add(hash.toString('base64'))
  loadedAt = start
}

/** Returns whether a token belongs to a device that was loaded. The device may have been revoked or have expired since. */
export const isKnownDevice = (token: string): boolean => known.has(hashToken(token).toString('base64'))
