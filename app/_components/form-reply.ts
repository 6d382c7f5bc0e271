/** What a form's action answers: that it is done, or what is wrong with which field. */
import type { z } from 'zod'

export type Complaints = Readonly<Record<string, string>>

/** The complaint about the form as a whole. */
export const WHOLE = ''

export type Reply<Done = true> = { done?: Done; complaints?: Complaints }

/** Each field at fault with its sentence out of the dictionary: what is wrong and what to do. */
export function complaintsOf<T>(error: z.ZodError<T>, sentences: Readonly<Record<keyof T & string, string>>): Complaints {
  const wrong = new Set(error.issues.map(({ path }) => String(path[0])))
  return Object.fromEntries(Object.entries<string>(sentences).filter(([field]) => wrong.has(field)))
}
