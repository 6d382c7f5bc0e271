/** Hashes passwords with argon2id and the first parameters recommended by OWASP's Password Storage Cheat Sheet. */
import { hash, verify } from '@node-rs/argon2'

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const MIN_PASSWORD = 10

/** Returns the hash in argon2's encoded form, which includes salt and parameters. */
export const hashPassword = (password: string) => hash(password, OPTIONS)

/** Compared for unknown users, so that they take as long as known ones. */
const dummyHash = hashPassword('no password has this hash')

/** Verifies a password in constant effort. @param passwordHash undefined for an unknown user: returns false after the same time */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await dummyHash), password)
  return matches && passwordHash !== undefined
}
