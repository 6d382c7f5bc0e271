/** Distinguishes an outage (the database is unreachable, full or too slow) from a statement that is wrong, and names the outage's cause. */

/** SQLSTATEs of a statement that fails while the database is well, and may succeed if it is repeated (PostgreSQL manual, appendix A). */
const STATES: Record<string, string> = {
  '25006': 'read_only',
  '25P03': 'idle_in_transaction_timeout',
  '40001': 'serialization_failure',
  '40P01': 'deadlock',
  '53300': 'too_many_connections',
  '55P03': 'lock_timeout',
  '57014': 'statement_timeout',
}

/** SQLSTATE classes of a database that cannot work at all. */
const STATE_CLASSES: Record<string, string> = {
  '08': 'connection_lost',
  '53': 'out_of_resources',
  '57': 'database_shutdown',
  '58': 'io_error',
}

/** Error codes of postgres.js and of Node's sockets. */
const CONNECTION_CODES: Record<string, string> = {
  CONNECTION_CLOSED: 'connection_lost',
  CONNECTION_ENDED: 'connection_lost',
  CONNECTION_DESTROYED: 'connection_lost',
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

/** undefined_table, undefined_column, undefined_function. */
const SCHEMA_STATES = new Set(['42P01', '42703', '42883'])

/** The reason for an outage, such as `connection_refused`; undefined if the code is not one of an outage. */
function reasonOfCode(code: unknown): string | undefined {
  if (typeof code !== 'string') return undefined
  return CONNECTION_CODES[code] ?? STATES[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? STATE_CLASSES[code.slice(0, 2)] : undefined)
}

/** The database, or this server, could not do its work now and may be able to later. Nothing was changed, or it is not known whether it was. */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
  /** Why, for a program: `queue_full`, `pool_exhausted`, `statement_timeout` … */
  readonly code: string

  /** @param code why; by default taken from the cause */
  constructor(message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code ?? unavailableReason(cause) ?? 'unavailable'
  }
}

type Coded = { code?: unknown; cause?: unknown }

/** Returns why the database or this server was unavailable, such as `lock_timeout`; undefined for every other error. */
export function unavailableReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, cause } = error as Coded
  // By name: Next's bundles hold a copy of the class each, and an instance of one is no instance of another.
  if (error.name === 'UnavailableError') return typeof code === 'string' ? code : 'unavailable'
  return reasonOfCode(code) ?? (cause === error ? undefined : unavailableReason(cause))
}

export const isUnavailable = (error: unknown): boolean => unavailableReason(error) !== undefined

/**
 * True if a statement names a table, column or function that the database lacks: the statement is wrong, or the migrations of this
 * version have not run. Neither heals by itself, so requests answer 500 and not 503; `/readyz` and the start's log name the migrations.
 * Background work that meets it leaves its input as it is.
 */
export function isSchemaMismatch(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, cause } = error as Coded
  return SCHEMA_STATES.has(String(code)) || (cause !== error && isSchemaMismatch(cause))
}
