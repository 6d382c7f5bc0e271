/** Helpers for admission tests: validates tickets and parses the results of changes. */
import type { Connection } from '@/db/client'
import { UnavailableError } from '@/db/unavailable'
import {
  type ChangeResult,
  type DecidedResult,
  type Serialize,
  type TicketResult,
  type Validation,
  validateTicket,
} from '@/lib/admission/change-ticket'

/** Serializes the complete result, so that a replay can be compared with the original response. */
export const serializeResult: Serialize = (result) => ({ status: 200, body: JSON.stringify(result) })

/** Returns the result that `serializeResult` serialized, whether or not the response is a replay. */
export const parseResult = ({ response }: ChangeResult) => JSON.parse(response.body) as TicketResult

/** Returns the result of a change to a ticket. @throws if the ticket does not exist */
export function parseDecidedResult(change: ChangeResult): DecidedResult {
  const result = parseResult(change)
  if (!('ticket' in result)) throw new Error(`The result has no ticket: ${result.outcome}`)
  return result
}

/** Validates an existing ticket. @returns the result, whether or not it is a replay */
export const validate = async (validation: Validation): Promise<DecidedResult> =>
  parseDecidedResult(await validateTicket(validation, serializeResult))

/** Retries `work` each time it is rejected before it starts. Such rejections have no effect and can happen on a busy machine. */
export async function retryUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.cause !== undefined) throw error
    }
  }
}

/** Returns a connection on which a change does not commit the transaction, so that the test can continue it. */
export function withoutCommit({ commit: _commit, ...connection }: Connection): Connection {
  return connection
}
