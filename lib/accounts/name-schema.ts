/** The names that people give to what stands in the settings. */
import { z } from 'zod'

/** Text of one line, without space around it. Its messages are sentences' ends, to go behind a member's name. */
export const nameOf = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must not have control characters')
