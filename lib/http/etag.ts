/** Computes the entity tags of single records, and checks the precondition `If-Match` (RFC 9110, 8.8.3 and 13.1.1). */
import { createHash } from 'node:crypto'
import { ApiError } from '../core/errors'
import type { RequestHeaders } from './exchange'

/** Returns the entity tag of a record, which is a hash of its JSON. @param record the record's JSON */
export const computeEtag = (record: string): string => `"${createHash('sha256').update(record).digest('base64url').slice(0, 27)}"`

/** Matches a valid value of `If-Match`. A tag can contain commas. */
const TAGS = /^\s*(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*)\s*$/

/** Returns the value of `If-Match`, or undefined if it was not sent. @throws {ApiError} `parameter_invalid` if it is malformed */
export function readIfMatch(headers: RequestHeaders): string | undefined {
  const value = headers.get('If-Match')
  if (value === null || TAGS.test(value)) return value ?? undefined
  throw new ApiError('parameter_invalid', 'The If-Match header must be the ETag of the record, with its quotation marks.', 'If-Match')
}

/**
 * Rejects `If-Match` for an operation that ignores it.
 *
 * @param reason why the operation ignores it, as the first clause of the message
 * @throws {ApiError} `parameter_invalid` if it was sent
 */
export function rejectIfMatch(headers: RequestHeaders, reason: string): void {
  if (headers.get('If-Match') === null) return
  throw new ApiError('parameter_invalid', `${reason}, so it does not accept If-Match. Omit the header.`, 'If-Match')
}

/**
 * Checks that a record still has the entity tag that the client sent, if any.
 *
 * @param ifMatch the result of `readIfMatch`
 * @param record the JSON of the locked record
 * @throws {ApiError} `precondition_failed` if the record has another entity tag
 */
export function checkPrecondition(ifMatch: string | undefined, record: string): void {
  // Weak tags never match, because two versions with the same weak tag can differ.
  if (ifMatch === undefined || ifMatch.trim() === '*' || ifMatch.match(/(?:W\/)?"[^"]*"/g)?.includes(computeEtag(record))) return
  const message = 'The record has changed since it was read. Read it again, apply the change to the new version, and send its ETag.'
  throw new ApiError('precondition_failed', message, 'If-Match')
}
