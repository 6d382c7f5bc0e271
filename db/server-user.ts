/** The embedded database's second user: serves, and can neither drop nor alter what the first one owns. */
import { createHash } from 'node:crypto'
import postgres from 'postgres'

const USER = 'desk_app'
/** Any number will do, so long as every process takes the same. */
const LOCK = 7_034_125_002

/** Told from the owner's, so that no further secret has to be kept. */
const passwordOf = (ownerPassword: string) => createHash('sha256').update(`${USER} ${ownerPassword}`).digest('base64url')

/**
 * Makes the user where it is missing.
 *
 * @param ownerUrl of a migrated database, as the user who owns it
 * @returns the connection string to serve with
 */
export async function ensureServerUser(ownerUrl: string): Promise<string> {
  const url = new URL(ownerUrl)
  const password = passwordOf(url.password)
  const client = postgres(ownerUrl, { max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await client.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${LOCK})`
      const [found] = await transaction`select 1 from pg_roles where rolname = ${USER}`
      if (!found) await transaction.unsafe(`create role ${USER} login password '${password}' in role desk_server`)
    })
  } finally {
    await client.end({ timeout: 5 })
  }
  url.username = USER
  url.password = password
  return url.href
}
