/** Runs operations that change records. Each runs in one transaction, with its idempotency key, its precondition and its audit entry. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Connection, database } from '@/db/client'
import type { Editor } from '../accounts/audit'
import { ConcurrentChangeError, retryConcurrentChange, type StoredResponse } from '../admission/idempotency-keys'
import { STORE_RESPONSE, STORED_RESPONSE } from '../admission/statements'
import { idParam as objectIdParam } from '../catalog/list-params'
import type { RecordType } from '../catalog/resource'
import type { WriteOperation } from '../catalog/write-operation'
import { ApiError, errorBody } from '../core/errors'
import type { Lock } from '../sync/edit/edit-record'
import { parseBody, readJson, receive } from './body'
import { checkPrecondition, computeEtag, readIfMatch, rejectIfMatch } from './etag'
import { noParams, parseQuery, readIdempotencyKey } from './exchange'
import { type Call, defineRoute, type RouteResult } from './handler'
import type { Route } from './methods'
import { parseId, recordNotFoundError } from './record-route'

/** Changes a locked record, whose JSON is `current`. Returns the JSON of the response's `data`. */
type ChangeRecord<Body> = (connection: Connection, sellerId: string, editor: Editor, current: string, body: Body) => Promise<string>

/** Creates a record and returns its JSON. */
type CreateRecord<Body> = (connection: Connection, sellerId: string, editor: Editor, body: Body) => Promise<string>

const READ_RESPONSE = sql`select ${STORED_RESPONSE} as stored`

/** A request with an idempotency key. */
type KeyedRequest = {
  sellerId: string
  /** The idempotency key. */
  key: string
  /** SHA-256 of the method, the path, the body and the `If-Match` header. */
  fingerprint: Buffer
}

/** Returns the fingerprint of a request. @param path the path, with its IDs in lowercase */
const hashRequest = (method: string, path: string, body: unknown, ifMatch: string | undefined): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, path, body, ...(ifMatch === undefined ? [] : [ifMatch])]))
    .digest()

/**
 * Returns the response stored under a request's key, or undefined if there is none. Call this only after locking the record that will be
 * changed.
 *
 * @throws {ApiError} `idempotency_mismatch` if the key was used with a different request
 */
async function findStoredResponse({ rows }: Connection, request: KeyedRequest): Promise<StoredResponse | undefined> {
  const { sellerId, key, fingerprint } = request
  const [row] = await rows<{ stored: StoredResponse | null }>(READ_RESPONSE, { seller: sellerId, key })
  if (!row?.stored) return undefined
  if (row.stored.fingerprint === fingerprint.toString('hex')) return row.stored
  const message =
    'This Idempotency-Key was already used with a different request. Use a new key for each change; reuse a key only to retry the same request.'
  throw new ApiError('idempotency_mismatch', message, 'Idempotency-Key')
}

/** Stores a response under a request's key. @throws {ConcurrentChangeError} if a concurrent request has stored one */
async function storeResponse({ rows }: Connection, request: KeyedRequest, status: number, response: string): Promise<void> {
  const { sellerId, key, fingerprint } = request
  const stored = await rows(STORE_RESPONSE, { seller: sellerId, key, fingerprint, responseStatus: status, response, now: null })
  if (stored.length === 0) throw new ConcurrentChangeError()
}

/** The errors that are stored under the idempotency key, so that a retry receives them again. */
const STORED_ERRORS = ['record_not_found', 'code_taken', 'endpoint_disabled', 'precondition_failed']

type Result = { status: number; body: string }

const DATA = ['{"data":', '}'] as const

/** Returns the body of a response without the members that only the first response contains, because a replay must not reveal a secret. */
function withoutSecrets({ shownOnce }: WriteOperation, body: string): string {
  if (!shownOnce || body === '') return body
  return JSON.stringify(JSON.parse(body), (name, value) => (shownOnce.includes(name) ? undefined : value))
}

/** Returns the ETag of the record in the body of a response. Later reads return the same ETag. */
const getBodyEtag = (operation: WriteOperation, body: string): string =>
  computeEtag(withoutSecrets(operation, body).slice(DATA[0].length, -DATA[1].length))

function toRouteResult(operation: WriteOperation, { status, body }: Result, isReplay: boolean): RouteResult {
  return {
    status,
    body: body === '' ? null : body,
    headers: {
      ...(status < 300 && body !== '' && !operation.returns ? { ETag: getBodyEtag(operation, body) } : {}),
      ...(isReplay ? { 'Idempotent-Replayed': 'true' } : {}),
    },
  }
}

/**
 * Runs an attempt. If it fails with an API error, rolls back its writes, and returns the error as a response if its code is in
 * `STORED_ERRORS`.
 *
 * @throws {ApiError} if the attempt fails with another code
 * @throws {ConcurrentChangeError} instead of the ApiError if a concurrent request has stored a response under the key in the meantime
 */
async function runWithSavepoint(
  connection: Connection,
  requestId: string,
  keyed: KeyedRequest,
  attempt: () => Promise<Result>,
): Promise<Result> {
  await connection.rows(sql`savepoint write`)
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await connection.rows(sql`rollback to savepoint write`)
    if (STORED_ERRORS.includes(error.code)) return { status: error.status, body: errorBody(error, requestId) }
    if (await findStoredResponse(connection, keyed)) throw new ConcurrentChangeError()
    throw error
  }
}

/** Rejects members of the record that cannot be changed, such as a coupon's discount. @throws {ApiError} `body_invalid` */
function rejectFixedMembers({ record, label }: RecordType, { shape }: z.ZodObject, json: unknown): void {
  const fixed = Object.keys(Object(json)).find((name) => Object.hasOwn(record.shape, name) && !Object.hasOwn(shape, name))
  if (fixed === undefined) return
  const others = Object.keys(shape).join(', ')
  throw new ApiError(
    'body_invalid',
    `The member '${fixed}' of a ${label.one.toLowerCase()} cannot be changed. Only these members can be changed: ${others}.`,
    fixed,
  )
}

/** The parts of a request that a write depends on. */
type ParsedRequest = { id: string | undefined; body: unknown; keyed: KeyedRequest | undefined; ifMatch: string | undefined }

/** Validates everything in a request that does not depend on the stored record. @throws {ApiError} if something is invalid */
async function parseRequest(
  { body, idParam = objectIdParam, keepsRecord, method, path, record }: WriteOperation,
  call: Call,
): Promise<ParsedRequest> {
  const { request, principal } = call
  parseQuery(request.url, noParams)
  const id = path.includes('{id}') ? parseId(call.path.id, idParam) : undefined
  const key = readIdempotencyKey(request.headers)
  if (id === undefined || keepsRecord) rejectIfMatch(request.headers, 'This operation does not change an existing record')
  const ifMatch = readIfMatch(request.headers)
  const json = await readJson(request)
  if (body && method === 'PATCH') rejectFixedMembers(record, body, json)
  const parsed = parseBody(body ?? noParams, json)
  if (body && method === 'PATCH' && Object.keys(parsed).length === 0) {
    throw new ApiError('body_invalid', `The body has no members to change. Send at least one of ${Object.keys(body.shape).join(', ')}.`)
  }
  const fingerprint = hashRequest(method, path.replace('{id}', String(id)), json, ifMatch)
  return { id, body: parsed, keyed: key === undefined ? undefined : { sellerId: principal.sellerId, key, fingerprint }, ifMatch }
}

/** Runs an operation in a transaction, or returns the response that is stored under the request's idempotency key. */
async function writeOnce(
  operation: WriteOperation,
  connection: Connection,
  { request, principal: { sellerId, keyId } }: Call,
  { id = '', body, keyed, ifMatch }: ParsedRequest,
  lock: Lock | undefined,
  perform: ChangeRecord<never>,
): Promise<RouteResult> {
  const current = await lock?.(connection, sellerId, id)
  const stored = keyed && (await findStoredResponse(connection, keyed))
  if (stored) return toRouteResult(operation, { status: stored.status, body: stored.response }, true)
  const run = async (): Promise<Result> => {
    if (lock) {
      if (current === undefined) throw recordNotFoundError(operation.record, id)
      checkPrecondition(ifMatch, current)
    }
    const data = await perform(connection, sellerId, { keyId }, current ?? '', body as never)
    return { status: operation.status, body: operation.status === 204 ? '' : DATA.join(data) }
  }
  if (!keyed) return toRouteResult(operation, await run(), false)
  const result = await runWithSavepoint(connection, request.id, keyed, run)
  await storeResponse(connection, keyed, result.status, withoutSecrets(operation, result.body))
  return toRouteResult(operation, result, false)
}

function defineWriteRoute(operation: WriteOperation, lock: Lock | undefined, perform: ChangeRecord<never>): Route {
  const { method, scope, maxMs, isShort = () => false } = operation
  return defineRoute({
    method,
    scope,
    // `run` reports an invalid body.
    ...(maxMs !== undefined && { isLong: async (request) => !isShort(await readJson(request).catch(() => ({}))) }),
    receive,
    async run(call) {
      const parsed = await parseRequest(operation, call)
      const write = (connection: Connection) => writeOnce(operation, connection, call, parsed, lock, perform)
      return retryConcurrentChange(() => database().transaction(write, undefined, isShort(parsed.body) ? undefined : maxMs))
    },
  })
}

/** Returns the route of an operation that creates a record. */
export const defineCreateRoute = <Body extends z.ZodObject>(operation: WriteOperation<Body>, create: CreateRecord<z.output<Body>>): Route =>
  defineWriteRoute(operation as never, undefined, (connection, sellerId, editor, _current, body) =>
    create(connection, sellerId, editor, body),
  )

/**
 * Returns the route of an operation on an existing record. The record's lock serializes concurrent operations on it, so that no update is
 * lost.
 *
 * @param lock locks the record, and returns the same JSON as the operation that reads it, so that their ETags match
 */
export const defineChangeRoute = <Body extends z.ZodObject>(
  operation: WriteOperation<Body>,
  lock: Lock,
  change: ChangeRecord<z.output<Body>>,
): Route => defineWriteRoute(operation as never, lock, change)
