/** The tokens of invite links and check-in devices. Only their hashes are stored. */
import { createHash, randomBytes } from 'node:crypto'

/** Returns a new token, which has 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Returns whether a token has the right format. It might still be unknown. */
export const isWellFormedToken = (token: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(token)

/** Returns the SHA-256 hash of a token, or of a device's setup code. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
