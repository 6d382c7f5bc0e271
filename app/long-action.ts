/** Runs server actions that can take much longer than others. */
import { toApiError } from '@/lib/core/errors'
import { runLongWrite } from '@/lib/http/load-shedding'
import { errorCopy } from './copy/errors'
import { explainOutage } from './explain-outage'

/**
 * Runs a long write of a server action, such as an erasure.
 *
 * @throws {ActionError} if too many long writes are running or waiting, so that the page keeps the user's input
 */
export async function runLongAction<T>(sellerId: string, work: () => Promise<T>): Promise<T> {
  let hasStarted = false
  try {
    return await runLongWrite(sellerId, () => {
      hasStarted = true
      return work()
    })
  } catch (error) {
    // If the work itself fails because the database is unavailable, it may still have been committed.
    throw !hasStarted && toApiError(error).code === 'unavailable' ? explainOutage(errorCopy.busy) : error
  }
}
