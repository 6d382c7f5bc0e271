/** Validates and normalizes users' email addresses. */
import { z } from 'zod'

/** The schema of an email address. Its message follows the member's name, as in "email must be an email address". */
export const emailSchema = z.email('must be an email address such as you@example.com')

/**
 * Normalizes an address for storage and comparison: trims it, applies Unicode NFC, and converts it to lowercase.
 * The database never normalizes addresses, because its lowercase form of some letters differs from JavaScript's.
 */
export const normalizeEmail = (address: string): string => address.trim().normalize('NFC').toLowerCase()
