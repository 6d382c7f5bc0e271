/** The schema of user-defined names. */
import { z } from 'zod'

/** Returns the schema of a trimmed, single-line name. Error messages start after the member's name, as in "name must not be empty". */
export const nameSchema = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must not have control characters')
