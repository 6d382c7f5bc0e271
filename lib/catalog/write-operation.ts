/** The definition of an operation that changes records. Its route, its entry in the API reference and its tests are derived from it. */
import type { z } from 'zod'
import type { ErrorCode } from '../core/errors'
import type { RecordType } from './resource'

/** Descriptions of the scopes for changing records, for the settings and the API reference. */
export const WRITE_SCOPES = {
  'coupons:write': 'Create and edit coupons',
  'customers:write': 'Edit and erase customers',
  'tickets:write': 'Edit tickets',
  'webhooks:manage': 'Manage webhook endpoints',
} as const

export type WriteScope = keyof typeof WRITE_SCOPES

export type WriteOperation<Body extends z.ZodObject = z.ZodObject> = {
  /** The operation's ID in the OpenAPI document, such as `createCoupon`. */
  id: string
  method: 'POST' | 'PATCH' | 'DELETE'
  /** The path, with `{id}` for the ID of an existing record. */
  path: `/v1/${string}`
  /** The type of the record that the operation changes and returns. */
  record: RecordType
  /** The title in the API reference. */
  summary: string
  /** A description for the API reference, in Markdown. */
  description: string
  scope: WriteScope
  /** The schema of the ID in the path. By default, 24 hex digits. */
  idParam?: z.ZodType<string>
  /** The schema of the body, with an ID and a description in its metadata; absent if there is no body. A PATCH body must not be empty. */
  body?: Body
  /** An example of the body. */
  example?: z.input<Body>
  /** The members of the example response that come from neither the example body nor the record's example. */
  response?: Record<string, unknown>
  /** The status of a successful response. A 204 response has no body; in others, `data` is the record or, if set, the `returns` result. */
  status: 200 | 201 | 204
  /** The members of the record that only this response contains, such as a new secret. The response stored for retries omits them. */
  shownOnce?: readonly string[]
  /** True if the operation does not change the record and therefore accepts no precondition. */
  keepsRecord?: true
  /** The time limit of the transaction in milliseconds, if it is longer than a statement's. */
  maxMs?: number
  /**
   * Returns whether the requested change takes no longer than that of an operation without `maxMs`. The body has not been validated.
   */
  isShort?(body: unknown): boolean
  /** The operation's result, if it is not the record. */
  returns?: { /** The name of the schema. */ schema: string; label: RecordType['label']; example: Record<string, unknown> }
  /** The operation's additional errors, with the members that override those of the general examples. */
  errors?: Partial<Record<ErrorCode, { message?: string; param?: string }>>
}

/** Returns the operation unchanged, so that TypeScript infers the type of its body. */
export const defineWrite = <const Body extends z.ZodObject>(operation: WriteOperation<Body>): WriteOperation<Body> => operation
