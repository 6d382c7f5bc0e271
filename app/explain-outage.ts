/** Turns outages that server actions expect into messages for the user. */
import { isErasureError } from '@/lib/accounts/erasure-lock'
import { reportExplainedOutage } from '@/lib/core/explained-outages'
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'

/** Returns an error with a message for the user, to throw instead of an outage that was caught. */
export function explainOutage(message: string): ActionError {
  reportExplainedOutage()
  return new ActionError(message)
}

/** Runs the write of a server action. @throws {ActionError} if a customer is being erased, so that the page keeps the user's input */
export async function runUnlessErasing<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw isErasureError(error) ? explainOutage(errorCopy.erasing) : error
  }
}
