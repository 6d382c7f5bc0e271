/** Tells a database that is away, full or too slow from a statement that is wrong. */

/** The database could not do its work now and may be able to later; nothing was changed, or it is not known whether it was. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/** Error codes of postgres.js and of Node's sockets. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * SQLSTATE classes 08 (connection), 53 (out of disk, memory or connections), 57 (shut down, canceled by a time-out), 58 (I/O),
 * and 25006 (a replica), 40001 and 40P01 (give way), 55P03 (a lock not to be had in time), 42P01, 42703 and 42883 (a table, column
 * or function of this version is not there yet: the migrations have not run). PostgreSQL manual, appendix A.
 */
const STATES = /^(08|53|57|58)|^(25006|25P03|40001|40P01|55P03|42P01|42703|42883)$/

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // By its name: Next's bundle holds more than one copy of this module, and the pool is of another one than who asks.
  if (error.name === 'Unavailable') return true
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && (CONNECTION_CODES.has(code) || STATES.test(code))) return true
  return cause !== undefined && cause !== error && isUnavailable(cause)
}
