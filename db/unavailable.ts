/** Classifies the database's errors: distinguishes an outage (the database is unreachable, full or too slow) from an invalid statement. */
import { channel } from 'node:diagnostics_channel'

type ErrorFields = { code?: unknown; syscall?: unknown; severity?: unknown; constraint_name?: unknown }

/**
 * Yields an error, its cause, the cause of the cause, and so on, each once: Drizzle wraps the driver's error in its own, and an
 * UnavailableError can wrap either. Yields nothing if the value is not an error.
 */
export function* withCauses(thrown: unknown): Generator<Error & ErrorFields> {
  const seen = new Set<Error>()
  for (let error = thrown; error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error)
    yield error
  }
}

/** Returns the SQLSTATE of PostgreSQL's error among an error and its causes; undefined if there is none. */
export function getSqlState(thrown: unknown): string | undefined {
  // Errors of Node.js and postgres.js also have codes, but no severity.
  for (const { code, severity } of withCauses(thrown)) if (typeof severity === 'string' && typeof code === 'string') return code
  return undefined
}

/** SQLSTATEs of transient errors (PostgreSQL manual, appendix A). */
const TRANSIENT_STATES: Record<string, string> = {
  '25006': 'read_only',
  '25P03': 'idle_in_transaction_timeout',
  '40001': 'serialization_failure',
  '40P01': 'deadlock',
  '53300': 'too_many_connections',
  '55P03': 'lock_timeout',
  '57014': 'statement_timeout',
}

/** SQLSTATE classes of errors that concern the connection or the whole server rather than one statement. */
const STATE_CLASSES: Record<string, string> = {
  '08': 'connection_lost',
  // An unknown user, a wrong password, or an unknown database.
  '28': 'connection_rejected',
  '3D': 'connection_rejected',
  '53': 'out_of_resources',
  '57': 'database_shutdown',
  '58': 'io_error',
}

/** Error codes of postgres.js, and of Node.js for sockets and DNS lookups. */
const CONNECTION_CODES: Record<string, string> = {
  CONNECTION_CLOSED: 'connection_lost',
  CONNECTION_ENDED: 'connection_lost',
  CONNECTION_DESTROYED: 'connection_lost',
  // The driver sent BEGIN on a connection that it did not reserve for the transaction.
  UNSAFE_TRANSACTION: 'connection_lost',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'host_unreachable',
  ENOTFOUND: 'host_not_found',
  EAI_AGAIN: 'host_not_found',
}

/** Error codes of Node.js that mean an outage only if they come from `connect`. PostgreSQL deletes its Unix socket when it stops. */
const CONNECT_CODES: Record<string, string> = {
  ENOENT: 'connection_refused',
  EACCES: 'connection_refused',
  EADDRNOTAVAIL: 'host_unreachable',
}

/** The SQLSTATEs undefined_table, undefined_column and undefined_function. */
const SCHEMA_STATES = new Set(['42P01', '42703', '42883'])

/** Returns the reason for the outage that an error's code indicates, such as `connection_refused`. Returns undefined for any other code. */
function getReasonByCode({ code, syscall }: { code?: unknown; syscall?: unknown }): string | undefined {
  if (typeof code !== 'string') return undefined
  if (syscall === 'connect' && CONNECT_CODES[code]) return CONNECT_CODES[code]
  return CONNECTION_CODES[code] ?? TRANSIENT_STATES[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? STATE_CLASSES[code.slice(0, 2)] : undefined)
}

/**
 * The name of the channel that publishes outages. A module-level listener would not work, because each of Next's bundles has its own copy of
 * this module.
 */
export const OUTAGES = 'checkout-desk:outages'

/** Thrown if the database or this server is temporarily unavailable. Either nothing was changed, or the outcome is unknown. */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
  /** The reason as a code: `queue_full`, `pool_exhausted`, `statement_timeout` … */
  readonly code: string

  /** @param code the reason; taken from the cause by default */
  constructor(message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code ?? unavailableReason(cause) ?? 'unavailable'
    channel(OUTAGES).publish(this)
  }
}

/** Returns why the database or this server was unavailable, such as `lock_timeout`. Returns undefined for any other error. */
export function unavailableReason(error: unknown): string | undefined {
  for (const failure of withCauses(error)) {
    // Compare by name, because each of Next's bundles has its own copy of the class, which `instanceof` does not recognize.
    if (failure.name === 'UnavailableError') return typeof failure.code === 'string' ? failure.code : 'unavailable'
    const reason = getReasonByCode(failure)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Returns whether an error means that the database or this server was unavailable. */
export const isUnavailable = (error: unknown): boolean => unavailableReason(error) !== undefined

/**
 * Returns whether retrying cannot help: the server rejected the user, the password or the database's name, or the error is not an outage.
 */
export function isRejection(error: unknown): boolean {
  const reason = unavailableReason(error)
  return reason === undefined || reason === 'connection_rejected'
}

/**
 * Returns whether a statement refers to a table, column or function that does not exist: the statement is wrong, or this version's
 * migrations have not run. Retrying does not help, so requests get a 500 instead of a 503. `/readyz` and the log at startup mention the
 * migrations. Background jobs that hit this error keep their input.
 */
export function isSchemaMismatch(error: unknown): boolean {
  for (const { code } of withCauses(error)) if (SCHEMA_STATES.has(String(code))) return true
  return false
}
