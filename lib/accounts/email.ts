/** Users' email addresses: their format, and their normalization. */
import { z } from 'zod'

export const email = z.email('must be an email address such as you@example.com')

/**
 * Normalizes an address for storage and comparison: trims it and converts it to lowercase.
 * The database never normalizes addresses, because its lowercase form of some letters differs from JavaScript's.
 */
export const foldEmail = (address: string): string => address.trim().normalize('NFC').toLowerCase()
