/** Reads and validates request bodies, up to a size limit. */
import type { z } from 'zod'
import { isStorable, STORABLE } from '../catalog/ticket'
import { ApiError } from '../core/errors'
import { describeIssue, formatIssuePath, formatPath } from '../core/validation-issue'
import { type ApiRequest, truncateName } from './exchange'

/** The parts of a request that are needed to read its body. The platform's `Request` satisfies this type too. */
type Upload = Pick<ApiRequest, 'headers' | 'body'>

// Not specified: the maximum size of a body.
export const MAX_BODY_BYTES = 64 * 1024

const tooLargeError = (maxBytes: number) =>
  new ApiError('body_too_large', `The body is larger than ${maxBytes / 1024} KiB. Send a smaller one.`)

/** Throws the error for a client that disconnected. The socket error itself could be mistaken for a database connection error. */
function throwIncomplete(): never {
  throw new ApiError('body_invalid', 'The body is incomplete. Send it again.')
}

/**
 * Returns the body of a request. The size limit applies even if the length was not declared.
 *
 * @param maxBytes the maximum size of the body
 * @param onLength called with the number of bytes that have arrived so far. If it throws, the rest of the body is not read
 * @throws {ApiError} `body_too_large`, or `body_invalid` if the client disconnects; also throws whatever `onLength` throws
 */
export async function readBytes(request: Upload, maxBytes: number, onLength?: (length: number) => void): Promise<Buffer> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLargeError(maxBytes)
  // RFC 9112, 6.3: a request without either header has no body.
  const isFramed = request.headers.has('content-length') || request.headers.has('transfer-encoding')
  const chunkIterator = isFramed ? request.body?.[Symbol.asyncIterator]() : undefined
  if (!chunkIterator) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await chunkIterator.next().catch(throwIncomplete)
    if (done) return Buffer.concat(chunks)
    length += value.length
    try {
      if (length > maxBytes) throw tooLargeError(maxBytes)
      onLength?.(length)
    } catch (error) {
      // Not awaited, because the client might keep sending.
      chunkIterator.return?.().catch(() => {})
      throw error
    }
    chunks.push(value)
  }
}

/**
 * Returns the request with its whole body in memory, where it can be read more than once.
 *
 * @throws {ApiError} `body_too_large`, or `body_invalid` if the client disconnects
 */
export async function receive(request: ApiRequest): Promise<ApiRequest> {
  const { id, method, url, headers } = request
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  return {
    ...{ id, method, url, headers },
    body: {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
    },
  }
}

/** Returns the media type and the charset of a `Content-Type` header in lowercase. Other parameters are ignored (RFC 8259, 11). */
function parseContentType(contentType: string): { type: string; charset: string | undefined } {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  return { type, charset: charset?.replaceAll(/["']/g, '') }
}

/** The names of UTF-8, the only charset that JSON can have (RFC 8259, 8.1). Some clients omit the hyphen. */
const UTF_8 = ['utf-8', 'utf8']

/**
 * Returns the parsed body, or `{}` if the request has none.
 *
 * @throws {ApiError} `body_too_large`, `media_type_unsupported` or `body_invalid`
 */
export async function readJson(request: Upload): Promise<unknown> {
  const encoding = request.headers.get('content-encoding')
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  if (bytes.length === 0) return {}
  const { type, charset } = parseContentType(request.headers.get('content-type') ?? '')
  if (type !== 'application/json' || (encoding !== null && encoding.toLowerCase() !== 'identity')) {
    throw new ApiError(
      'media_type_unsupported',
      'The body is compressed, or not declared as JSON. Send uncompressed JSON with the header `Content-Type: application/json`.',
      'Content-Type',
    )
  }
  if (charset !== undefined && !UTF_8.includes(charset)) {
    throw new ApiError(
      'media_type_unsupported',
      `The charset '${truncateName(charset)}' is not supported. Send JSON in UTF-8 with the header \`Content-Type: application/json\`.`,
      'Content-Type',
    )
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiError('body_invalid', 'The body is not valid JSON in UTF-8. Send a JSON object such as {}.')
  }
}

const listFormat = new Intl.ListFormat('en')

/** Returns the path of the first string value that PostgreSQL cannot store, or undefined if it can store all of them. */
function findUnstorable(value: unknown, path: PropertyKey[] = []): PropertyKey[] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    const found = findUnstorable(item, [...path, Array.isArray(value) ? Number(name) : name])
    if (found) return found
  }
  return undefined
}

/**
 * Validates a parsed body.
 *
 * @param schema the schema of the operation's body
 * @throws {ApiError} `body_invalid` with the path of the first invalid member
 */
export function parseBody<S extends z.ZodObject>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body)
  if (result.success) {
    const unstorable = findUnstorable(result.data)
    if (unstorable) throw new ApiError('body_invalid', `${formatPath(unstorable)} ${STORABLE}.`, formatPath(unstorable))
    return result.data
  }
  const [issue] = result.error.issues
  const param = issue ? truncateName(formatIssuePath(issue)) : ''
  if (!issue || (param === '' && issue.code !== 'unrecognized_keys'))
    throw new ApiError('body_invalid', 'The body is not a JSON object. Send an object such as {}.')
  const members = listFormat.format(Object.keys(schema.shape)) || 'no members'
  const problem =
    issue.code === 'unrecognized_keys' && issue.path.length === 0
      ? `is not allowed in the body, which accepts ${members}`
      : describeIssue(issue, body)
  throw new ApiError('body_invalid', `${param || 'A member without a name'} ${problem}.`, param || undefined)
}
