/** Hashes passwords with argon2id, using the minimum parameters that OWASP's Password Storage Cheat Sheet recommends. */
import { hash, verify } from '@node-rs/argon2'

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The minimum length of a password, in characters. */
export const MIN_PASSWORD_LENGTH = 10

/** Returns the hash in the PHC string format, which includes the salt and the parameters. */
export const hashPassword = (password: string) => hash(password, OPTIONS)

/** The hash that passwords are verified against for unknown users, so that verification takes as long as for known users. */
const dummyHash = hashPassword('dummy password')

/**
 * Returns whether a password matches a hash.
 *
 * @param passwordHash undefined for an unknown user: verification then takes just as long, and the result is false
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await dummyHash), password)
  return matches && passwordHash !== undefined
}
