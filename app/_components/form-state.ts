/** The state of a form after its action has run, and functions that read and compare the form's fields. */
import type { z } from 'zod'
import { isTimeZone } from '@/lib/core/time'
import { formCopy } from '../copy/form'

export type FieldErrors = Readonly<Record<string, string>>

/** The key in `errors` for a message about the whole form. */
export const FORM_ERROR_KEY = ''

/**
 * The data returned by a form's action, or an error message per field. `latest` is the current version of the form's record, if someone
 * else has changed it while the form was open.
 */
export type FormState<Data = true, Latest = never> = { data?: Data; errors?: FieldErrors; latest?: Latest | undefined }

/** Returns the text of a field, or undefined if it is empty. */
export const readText = (form: FormData, name: string): string | undefined => String(form.get(name) ?? '').trim() || undefined

/** Returns a value as a single-line field submits it: without line breaks. */
export const toLine = (value: FormDataEntryValue | null): string => String(value ?? '').replace(/[\r\n]/g, '')

/** Returns the value that a field had when the form was opened. Browsers submit every line break as CRLF. */
export const readOriginal = (form: FormData, name: string): string => String(form.get(`original.${name}`) ?? '').replace(/\r\n?/g, '\n')

/** Returns whether the user has changed a single-line field of a form with `OriginalValues`. */
export const isChanged = (form: FormData, name: string): boolean => toLine(form.get(name)) !== toLine(form.get(`original.${name}`))

/**
 * Returns a notice for each single-line field of a form with `OriginalValues` that someone else has changed since the form was opened.
 * There is no notice if the stored value is what the user entered: the user's own earlier change may have been saved.
 *
 * @param latest the current value of each field
 */
export function describeChanges(form: FormData, latest: Readonly<Record<string, string | undefined>>): FieldErrors {
  const notices = Object.entries(latest).flatMap(([name, value]) => {
    const currentValue = toLine(value ?? null)
    if (currentValue === toLine(form.get(`original.${name}`)) || currentValue === toLine(form.get(name))) return []
    return [[name, isChanged(form, name) ? `${formCopy.changedTo(currentValue)} ${formCopy.replaces}` : formCopy.changedTo(currentValue)]]
  })
  return Object.fromEntries(notices)
}

/** Joins a field's values in sorted order, so that the result does not depend on their original order. */
export const joinSorted = (values: readonly unknown[]): string => values.map(String).sort().join()

/** Returns the time zone of the form's times: the shop's when the form was opened, falling back to the shop's current one. */
export function readTimeZone(form: FormData, shopTimeZone: string): string {
  const timeZone = String(form.get('timeZone') ?? '')
  return isTimeZone(timeZone) ? timeZone : shopTimeZone
}

/** Returns the message for each invalid field. */
export function toFieldErrors<T>(error: z.ZodError<T>, messages: Readonly<Record<keyof T & string, string>>): FieldErrors {
  const invalid = new Set(error.issues.map(({ path }) => String(path[0])))
  return Object.fromEntries(Object.entries<string>(messages).filter(([field]) => invalid.has(field)))
}
