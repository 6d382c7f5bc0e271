/** Adds users for tests. */
import { database } from '@/db/client'
import { writeAudit } from '@/lib/accounts/audit'
import { hashPassword } from '@/lib/accounts/passwords'
import type { Role } from '@/lib/accounts/roles'
import { insertUser } from '@/lib/accounts/users'

export const PASSWORD = 'correct horse battery'

let passwordHash: Promise<string> | undefined

/** Adds a user with the password `PASSWORD`, which is hashed only once per process because argon2 is slow. @returns the user's ID */
export async function makeUser(sellerId: string, email: string, role: Role): Promise<string> {
  passwordHash ??= hashPassword(PASSWORD)
  const user = { email, role, passwordHash: await passwordHash }
  return database().transaction(async (connection) => {
    const userId = await insertUser(connection, sellerId, user)
    await writeAudit(connection, { sellerId, by: undefined, action: 'user.added', subject: email, changes: { role: { after: role } } })
    return userId
  })
}
