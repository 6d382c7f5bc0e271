/** Passwords: argon2id, with the parameters that OWASP's Password Storage Cheat Sheet gives as its first choice. */
import { hash, verify } from '@node-rs/argon2'

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const MIN_PASSWORD = 10

/** @returns the hash in argon2's own encoded form, its salt and parameters in it */
export const hashPassword = (password: string) => hash(password, OPTIONS)

/** What an unknown user's password is compared with, so that the answer takes as long as a known one's. */
const nobody = hashPassword('no password has this hash')

/** @param passwordHash undefined where there is no such user: never true, and no quicker */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password)
  return matches && passwordHash !== undefined
}
