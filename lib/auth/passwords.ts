/** Passwords: argon2id, with the parameters that OWASP's Password Storage Cheat Sheet gives as its first choice. */
import { hash } from '@node-rs/argon2'

const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const MIN_PASSWORD = 10

/** @returns the hash in argon2's own encoded form, its salt and parameters in it */
export const hashPassword = (password: string) => hash(password, OPTIONS)
