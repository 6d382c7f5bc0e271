/** Helpers for server actions that convert account errors to form messages. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { accountErrors } from '@/app/copy/account-errors'
import { settingsCopy } from '@/app/copy/settings'
import { requireActor } from '@/app/session'
import { AccountError, type AccountErrorCode, TooManyAttemptsError } from '@/lib/accounts/account-error'
import type { Right } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'

/** The field next to which each error is shown. Other errors apply to the whole form. */
type ErrorFields = Partial<Record<AccountErrorCode | 'too_many_attempts', string>>

/** Makes a change and returns its result, or the message of an `AccountError` or a `TooManyAttemptsError`. Rethrows other errors. */
export async function catchAccountError<Data>(change: () => Promise<Data>, fields: ErrorFields = {}): Promise<FormState<Data>> {
  try {
    return { data: await change() }
  } catch (error) {
    if (error instanceof TooManyAttemptsError)
      return { errors: { [fields.too_many_attempts ?? FORM_ERROR_KEY]: settingsCopy.password.tooManyAttempts(error.seconds) } }
    if (error instanceof AccountError) return { errors: { [fields[error.code] ?? FORM_ERROR_KEY]: accountErrors[error.code] } }
    throw error
  }
}

/** Makes a change like `catchAccountError`. On success, refreshes the page. */
export async function changeAndRefresh<Data>(change: () => Promise<Data>, fields?: ErrorFields): Promise<FormState<Data>> {
  const state = await catchAccountError(change, fields)
  // After an error, the refreshed page might no longer contain the form or dialog that shows it.
  if (!state.errors) refresh()
  return state
}

/** Makes a change for the user. Returns an error message; on success, refreshes the page and returns undefined. See `requireActor`. */
export async function runChange(right: Right, path: string, change: (user: SessionUser) => Promise<unknown>): Promise<string | undefined> {
  const user = await requireActor(right, path)
  const { errors } = await changeAndRefresh(() => change(user))
  return errors?.[FORM_ERROR_KEY]
}

/**
 * Returns the resolved value.
 *
 * @throws {AccountError} with `code`, if the value is false or undefined
 */
export async function requireFound<T>(lookup: Promise<T | false | undefined>, code: AccountErrorCode): Promise<T> {
  const result = await lookup
  if (result === false || result === undefined) throw new AccountError(code)
  return result
}
