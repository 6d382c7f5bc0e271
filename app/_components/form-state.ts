/** The state of a form after its action has run: the result, or an error message per field. */
import type { z } from 'zod'

export type FieldErrors = Readonly<Record<string, string>>

/** The key in `errors` for a message about the whole form. */
export const FORM_ERROR_KEY = ''

export type FormState<Done = true> = { done?: Done; errors?: FieldErrors }

/** Returns the text of a field, or undefined if it is empty. */
export const readText = (form: FormData, name: string): string | undefined => String(form.get(name) ?? '').trim() || undefined

/** Returns whether the user has changed a field of a form with `OriginalValues`. */
export const isChanged = (form: FormData, name: string): boolean =>
  String(form.get(name) ?? '') !== String(form.get(`original.${name}`) ?? '')

/** Returns the message of each invalid field. */
export function toFieldErrors<T>(error: z.ZodError<T>, messages: Readonly<Record<keyof T & string, string>>): FieldErrors {
  const invalid = new Set(error.issues.map(({ path }) => String(path[0])))
  return Object.fromEntries(Object.entries<string>(messages).filter(([field]) => invalid.has(field)))
}
