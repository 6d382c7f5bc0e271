/** Parts that several OpenAPI operations share. */
import { z } from 'zod'
import type { Scope } from '../../accounts/scopes'
import { idParam } from '../../catalog/list-params'
import { type RecordType, schemaName } from '../../catalog/resource'
import type { ErrorCode } from '../../core/errors'
import { errorResponses, RATE_HEADERS, referToHeaders } from './errors'
import { refTo } from './schemas'
import type { Parameter, ResponseObject, Schema } from './types'

/** The errors that every operation that needs a key can return. */
const COMMON_ERRORS: ErrorCode[] = [
  'key_missing',
  'key_invalid',
  'key_paused',
  'scope_missing',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
]

/**
 * Returns the error responses of an operation that needs a key.
 *
 * @param codes the errors that the operation can return in addition to the common ones
 * @param overrides as in `errorResponses`
 */
export const keyErrorResponses = (scope: Scope, codes: ErrorCode[], overrides: Parameters<typeof errorResponses>[1]) =>
  errorResponses([...codes, ...COMMON_ERRORS], {
    scope_missing: { message: `This API key lacks the scope '${scope}'. Use a key that has it.` },
    ...overrides,
  })

/** Returns the security requirement for a scope. */
export const security = (scope: Scope) => [{ apiKey: [scope] }]

/** Returns the content of a JSON response. @param name the name of its schema */
export const jsonContent = (name: string, examples?: Record<string, { summary: string; value: unknown }>): ResponseObject['content'] => ({
  'application/json': { schema: refTo(name), ...(examples ? { examples } : {}) },
})

type RecordDocument = Pick<RecordType, 'label' | 'example'>

/** Returns an ID that no record has, in the format of the example's ID. */
export const unknownId = ({ example }: Pick<RecordType, 'example'>) =>
  String(example.id).replace(/[0-9a-f]{24}$/, '00000000000000000000000a')

/** Returns the parameter for the ID in a path. @param format the schema of the ID */
export function idParameter({ label, example }: RecordDocument, format: z.ZodType = idParam): Parameter {
  const { $schema: _, ...schema } = z.toJSONSchema(format, { io: 'input' }) as Schema & { $schema?: string }
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: `ID of the ${label.one.toLowerCase()}.`,
    schema,
    example: example.id,
  }
}

/** Returns the parameter for the idempotency key. @param change a noun for what each key identifies, for the description */
export const idempotencyKey = (change: 'scan' | 'change'): Parameter => ({
  name: 'Idempotency-Key',
  in: 'header',
  description: `Unique value for each ${change}, 1 to 255 visible ASCII characters. Send the same value again to retry a request that got no response.`,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
})

/**
 * Returns a response that contains one record in `data`.
 *
 * @param additionalHeaders the names of headers in addition to those for the rate limit
 * @param schema the name of the record's schema
 * @param hasEtag whether the response has an ETag header
 */
export function recordResponse(
  { label, example }: RecordDocument,
  description: string,
  additionalHeaders: string[] = [],
  schema = schemaName({ label }),
  hasEtag = true,
): ResponseObject {
  const one = `The ${label.one.toLowerCase()}.`
  return {
    description,
    headers: referToHeaders([...RATE_HEADERS, ...additionalHeaders, ...(hasEtag ? ['ETag'] : [])]),
    content: {
      'application/json': {
        schema: { type: 'object', properties: { data: { ...refTo(schema), description: one } }, required: ['data'] },
        examples: { record: { summary: one, value: { data: example } } },
      },
    },
  }
}
