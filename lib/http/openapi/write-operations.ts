/** The OpenAPI operations that change records, generated from their definitions in the catalog. */
import type { WriteOperation } from '../../catalog/write-operation'
import type { ErrorCode } from '../../core/errors'
import { recordNotFoundError } from '../record-route'
import { RATE_HEADERS, referToHeaders } from './errors'
import { idempotencyKey, idParameter, keyErrorResponses, recordResponse, security, unknownId } from './parts'
import { refTo } from './schemas'
import type { OperationObject, Parameter, ResponseObject } from './types'
import { writeSamples } from './write-samples'

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description:
    '`ETag` of the record. The request fails with 412 if the record has changed since. Without this header, the change applies to any version.',
  schema: { type: 'string', maxLength: 1000 },
}

/**
 * Returns the record in the response to the example request: the record's example with the members of the example body. On creation,
 * only the members that the server sets come from the record's example.
 */
function exampleResponse({ record, status, body, example = {}, response }: WriteOperation): Record<string, unknown> {
  const isInBody = (name: string) => status === 201 && Object.hasOwn(body?.shape ?? {}, name)
  const before = Object.entries(record.example).filter(([name]) => !isInBody(name))
  const sent = Object.entries(example).filter(([name]) => Object.hasOwn(record.record.shape, name))
  const members = Object.entries({ ...Object.fromEntries([...before, ...sent]), ...response }).filter(([, value]) => value !== null)
  // Parsing puts the members in the order of the schema.
  return record.record.parse(structuredClone(Object.fromEntries(members)))
}

function successResponse(operation: WriteOperation): ResponseObject {
  const { record, status, returns } = operation
  if (returns) {
    const description = `The ${returns.label.one.toLowerCase()}.`
    return recordResponse(returns, description, ['Idempotent-Replayed'], returns.schema, false)
  }
  if (status === 204)
    return { description: 'Done. The response has no body.', headers: referToHeaders([...RATE_HEADERS, 'Idempotent-Replayed']) }
  const one = record.label.one.toLowerCase()
  const description = status === 201 ? `The ${one} was created.` : `The ${one} after the change.`
  return recordResponse({ label: record.label, example: exampleResponse(operation) }, description, ['Idempotent-Replayed'])
}

export function makeWriteOperation(operation: WriteOperation): OperationObject {
  const { id, path, record, summary, description, scope, idParam, body, example, status, keepsRecord, errors = {} } = operation
  const isChange = path.includes('{id}')
  const isConditional = isChange && !keepsRecord
  const codes: ErrorCode[] = [
    'parameter_invalid',
    'parameter_unknown',
    'body_invalid',
    'path_invalid',
    ...(isChange ? (['record_not_found'] as const) : []),
    ...(isConditional ? (['precondition_failed'] as const) : []),
    'body_too_large',
    'media_type_unsupported',
    'idempotency_mismatch',
  ]
  return {
    operationId: id,
    tags: [record.label.many],
    summary,
    description,
    security: security(scope),
    parameters: [...(isChange ? [idParameter(record, idParam)] : []), idempotencyKey('change'), ...(isConditional ? [ifMatch] : [])],
    ...(body && {
      requestBody: {
        required: true,
        description: body.description ?? '',
        content: {
          'application/json': { schema: refTo(String(body.meta()?.id)), examples: { example: { summary: `${summary}.`, value: example } } },
        },
      },
    }),
    responses: {
      [status]: successResponse(operation),
      ...keyErrorResponses(scope, [...new Set([...codes, ...(Object.keys(errors) as ErrorCode[])])], {
        parameter_invalid: {
          message: 'The Idempotency-Key header must contain 1 to 255 visible ASCII characters.',
          param: 'Idempotency-Key',
        },
        parameter_unknown: { message: "Unknown parameter 'expand'. This operation takes no query parameters.", param: 'expand' },
        record_not_found: { message: recordNotFoundError(record, unknownId(record)).message },
        idempotency_mismatch: {
          message:
            'This Idempotency-Key was already used with a different request. Use a new key for each change; reuse a key only to retry the same request.',
        },
        ...errors,
      }),
    },
    'x-codeSamples': writeSamples(operation),
  }
}
