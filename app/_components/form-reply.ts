/** The result of a form's action: done, or an error per field. */
import type { z } from 'zod'

export type FieldErrors = Readonly<Record<string, string>>

/** The key of the error about the whole form. */
export const WHOLE = ''

export type Reply<Done = true> = { done?: Done; errors?: FieldErrors }

/** Returns the message of each invalid field. */
export function fieldErrorsOf<T>(error: z.ZodError<T>, sentences: Readonly<Record<keyof T & string, string>>): FieldErrors {
  const wrong = new Set(error.issues.map(({ path }) => String(path[0])))
  return Object.fromEntries(Object.entries<string>(sentences).filter(([field]) => wrong.has(field)))
}
