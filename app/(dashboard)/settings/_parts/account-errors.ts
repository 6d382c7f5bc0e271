/** Turns the errors of account changes into messages for the form that made the change. */
import { type Reply, WHOLE } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { AccountError, type AccountErrorCode } from '@/lib/accounts/account-error'
import { OBJECT_ID } from '@/lib/core/object-id'

/** Returns a submitted ID in lowercase, or an empty string, which matches nothing, if it is malformed. */
export const idFrom = (sent: unknown): string => (typeof sent === 'string' && OBJECT_ID.test(sent) ? sent.toLowerCase() : '')

/** Runs a change. Returns the message of an `AccountError`; other errors are thrown. */
export async function catchAccountError<Done>(work: () => Promise<Done>): Promise<Reply<Done>> {
  try {
    return { done: await work() }
  } catch (error) {
    if (error instanceof AccountError) return { errors: { [WHOLE]: settingsCopy.errors[error.code] } }
    throw error
  }
}

/** Runs a change. Returns the message of an `AccountError`, or undefined if the change succeeds. */
export async function accountErrorOf(work: () => Promise<unknown>): Promise<string | undefined> {
  return (await catchAccountError(work)).errors?.[WHOLE]
}

/** Returns what was found. @throws {AccountError} with `code` if nothing was found */
export async function mustFind<T>(found: Promise<T | false | undefined>, code: AccountErrorCode): Promise<T> {
  const result = await found
  if (result === false || result === undefined) throw new AccountError(code)
  return result
}
