/**
 * Creates a second user in the embedded database. The server connects as this user, except for migrations, so that it cannot drop or alter
 * tables.
 */
import { createHash } from 'node:crypto'
import { openConnection } from './connection'

const USER = 'desk_app'
/** The key of the advisory lock: an arbitrary number, the same in every process. */
const LOCK_KEY = 7_034_125_002

/** Derives the user's password from the owner's, so that no additional secret has to be stored. */
const derivePassword = (ownerPassword: string) => createHash('sha256').update(`${USER} ${ownerPassword}`).digest('base64url')

/**
 * Creates the server's user if it does not exist, and sets its password, because the owner's may have been changed.
 *
 * @param ownerUrl the connection string for the owner of a migrated database
 * @returns the connection string for the server's user
 */
export async function ensureServerUser(ownerUrl: string): Promise<string> {
  const url = new URL(ownerUrl)
  const password = derivePassword(url.password)
  const client = openConnection(ownerUrl)
  try {
    await client.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${LOCK_KEY})`
      const [found] = await transaction`select 1 from pg_roles where rolname = ${USER}`
      await transaction.unsafe(
        found ? `alter role ${USER} password '${password}'` : `create role ${USER} login password '${password}' in role desk_server`,
      )
    })
  } finally {
    await client.end({ timeout: 5 })
  }
  url.username = USER
  url.password = password
  return url.href
}
