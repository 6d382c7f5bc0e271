/** The schema of user-defined names. */
import { z } from 'zod'

/**
 * Returns a schema that trims a name, and rejects an empty name and one with control characters such as line breaks. Its messages follow
 * the member's name, as in "name must not be empty".
 *
 * @param max the maximum length in characters
 */
export const nameSchema = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
