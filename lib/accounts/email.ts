/** Email addresses of users: their format, and the one form in which they are stored and compared. */
import { z } from 'zod'

export const email = z.email('must be an email address such as you@example.com')

/**
 * Returns an address in the form in which it is stored and compared: without surrounding spaces, in lower case.
 * The database never folds addresses, because its lower case of some letters differs from JavaScript's.
 */
export const foldEmail = (address: string): string => address.trim().normalize('NFC').toLowerCase()
