/** Validates tickets in tests, and parses the results of changes. */
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

/** Serializes the complete result, so that a replayed response can be compared with the first one. */
export const serializeResult: Serialize = (result) => ({ status: 200, body: JSON.stringify(result) })

/** Returns the result of a change that was serialized by `serializeResult`, whether or not it is a replay. */
export const parseResult = ({ response }: ChangeResult) => JSON.parse(response.body) as TicketResult

/** Returns the result of a change to an existing ticket. */
export function parseDecidedResult(change: ChangeResult): DecidedResult {
  const result = parseResult(change)
  if (!('ticket' in result)) throw new Error(`The result has no ticket: ${result.outcome}`)
  return result
}

/** Validates an existing ticket. @returns the result, whether or not it is a replay */
export const validate = async (validation: Validation): Promise<DecidedResult> =>
  parseDecidedResult(await validateTicket(validation, serializeResult))

/** Retries `work` if it fails before it starts, which happens on a busy machine. Such an attempt has no effect. */
export async function retryUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.cause !== undefined) throw error
    }
  }
}

/** Returns a connection with which a change does not commit the transaction, so that the transaction can continue. */
export function withoutCommit({ commit: _commit, ...connection }: Connection): Connection {
  return connection
}
