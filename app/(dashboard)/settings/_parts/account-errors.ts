/** Helpers of server actions: they convert errors from account changes to messages that forms show. */
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { accountErrors } from '@/app/copy/account-errors'
import { AccountError, type AccountErrorCode } from '@/lib/accounts/account-error'

/** Runs `work` and returns its result, or the error message if it throws an `AccountError`. Rethrows other errors. */
export async function catchAccountError<Done>(work: () => Promise<Done>): Promise<FormState<Done>> {
  try {
    return { done: await work() }
  } catch (error) {
    if (error instanceof AccountError) return { errors: { [FORM_ERROR_KEY]: accountErrors[error.code] } }
    throw error
  }
}

/** Runs `work` and returns the error message if it throws an `AccountError`, otherwise undefined. Rethrows other errors. */
export async function catchAccountErrorMessage(work: () => Promise<unknown>): Promise<string | undefined> {
  return (await catchAccountError(work)).errors?.[FORM_ERROR_KEY]
}

/**
 * Returns the resolved value.
 *
 * @throws {AccountError} with `code`, if the value is false or undefined
 */
export async function mustFind<T>(found: Promise<T | false | undefined>, code: AccountErrorCode): Promise<T> {
  const result = await found
  if (result === false || result === undefined) throw new AccountError(code)
  return result
}
