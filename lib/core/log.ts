/** The log: one JSON line per event on stderr, without bound values, keys or records. */
import pino from 'pino'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { env } from './env'

/** Stored on `globalThis`, because Next's bundle and the server each have a copy of this module. */
const holder = globalThis as typeof globalThis & { checkoutDeskLog?: pino.Logger }

/** The maximum size, in bytes, of the buffer for lines that cannot be written yet, for example because the disk is full. */
const MAX_BUFFERED_BYTES = 1_000_000

function openStderr(): pino.DestinationStream {
  const output = pino.destination({ dest: 2, sync: true, maxLength: MAX_BUFFERED_BYTES })
  // Without a listener, a failed write would be an uncaught exception. The line stays in the buffer, and is written before the next one.
  output.on('error', () => {})
  return output
}

/** Creates a logger. It replaces errors with their descriptions, so that no line contains the values in an error's message. */
export const createLog = (output: pino.DestinationStream): pino.Logger =>
  pino({ level: env().LOG_LEVEL, base: undefined, serializers: { error: describeError, cause: describeError } }, output)

/** Returns the logger of this process. */
export function log(): pino.Logger {
  holder.checkoutDeskLog ??= createLog(openStderr())
  return holder.checkoutDeskLog
}

type ErrorDescription = {
  class: string
  /** The SQLSTATE, the driver's or Node.js's error code, or one defined in this project. */
  code?: string
  message?: string
  /** Identifiers from a SQL error. They contain no values. */
  table?: string
  column?: string
  constraint?: string
  /** What to do, if known. */
  hint?: string
  /** The stack frames, without the message. Omitted for outages, because many requests fail for the same reason. */
  stack?: string
  cause?: ErrorDescription
  /** The other errors of an AggregateError, whose first error is the cause. */
  others?: ErrorDescription[]
}

const MAX_FRAMES = 12
const MAX_MESSAGE = 500

/** SQLSTATE classes whose messages contain the names of tables, columns and constraints, but never values. */
const NAMES_ONLY = /^(08|23|25|28|3D|40|42|53|55|57|58)/

const toNonEmptyString = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Removes everything between the first and the last double quote, because a quoted value can contain quotes. Also removes hexadecimal
 * bytes, which encoding errors contain.
 */
const removeValues = (message: string) => message.replace(/".*"/s, '"…"').replace(/\b0x[0-9a-f]{2}/gi, '0x…')

/**
 * Matches an email address. A match starts only at the beginning of the text or after a delimiter, and no part of it can match the
 * character that follows the part, so that matching takes linear time: messages can quote long input.
 */
const EMAIL = /(?<![^\s"'<>(),;@])[^\s"'<>(),;@]+@[^\s"'<>(),;@.]+\.[^\s"'<>(),;@]+/g

/** Redacts email addresses, API keys, webhook secrets, and the user and password in URLs. */
const redactSensitive = (message: string) =>
  message
    .replace(/:\/\/[^\s/@]*@/g, '://…@')
    .replace(EMAIL, '…@…')
    .replace(/\b(desk|sk|rk|whsec)_\w{16,}/g, '$1_…')

/** Returns a message without email addresses, keys, secrets and passwords, truncated to 500 characters; undefined if it is empty. */
export const redactMessage = (message: string): string | undefined => toNonEmptyString(redactSensitive(message).slice(0, MAX_MESSAGE))

/** Returns an error's message without values from queries or input; undefined if that leaves nothing. */
function getMessage(error: Error & { severity?: unknown; params?: unknown; query?: unknown; issues?: unknown }): string | undefined {
  const code = toNonEmptyString((error as { code?: unknown }).code) ?? ''
  // Drizzle's message lists every bound value. The error's cause has the actual message.
  if (Array.isArray(error.params) && typeof error.query === 'string') return undefined
  // The message of a validation error can quote the input.
  if (Array.isArray(error.issues)) return `${error.issues.length} issues`
  const isSqlError = typeof error.severity === 'string' && /^[0-9A-Z]{5}$/.test(code)
  // JSON.parse quotes its input.
  const mayQuoteValues = isSqlError ? !NAMES_ONLY.test(code) : error.name === 'SyntaxError'
  const message = mayQuoteValues ? removeValues(error.message) : error.message
  return redactMessage(message)
}

/** Returns the first 12 frames of a stack. They follow the message, which can contain lines that look like frames. */
function extractFrames({ stack = '', message }: Error): string | undefined {
  const index = message === '' ? -1 : stack.indexOf(message)
  const frames = stack
    .slice(index === -1 ? 0 : index + message.length)
    .split('\n')
    .filter((line) => /^\s+at .*(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line))
  return toNonEmptyString(
    frames
      .slice(0, MAX_FRAMES)
      .map((line) => line.trim())
      .join('\n'),
  )
}

/** Returns the error's class name. Minified bundles shorten the names of classes that do not set `name`. */
const getClassName = (error: Error) => (error.name === 'Error' ? error.constructor.name || 'Error' : error.name)

const HINT = 'The SQL statement is wrong, or the migrations for this version have not been run. Run `npm run desk -- migrate`.'

/** Describes a thrown value for the log: its class, code, message, stack and cause, without bound values. */
export const describeError = (error: unknown): ErrorDescription => describe(error, [])

/** @param outer the errors that this one caused, directly or indirectly; they are omitted from its own causes */
function describe(error: unknown, outer: readonly unknown[]): ErrorDescription {
  if (!(error instanceof Error)) return { class: typeof error }
  const path = [...outer, error]
  const { code, cause, table_name, column_name, constraint_name, errors } = error as Error & Record<string, unknown>
  // If a host has several addresses, Node.js reports one error per address, in an AggregateError without a message. So does `runAll`.
  const [first, ...others]: unknown[] = error.message === '' && Array.isArray(errors) ? errors : []
  const inner = cause ?? first
  const description: ErrorDescription = {
    class: getClassName(error),
    code: toNonEmptyString(code),
    message: getMessage(error),
    table: toNonEmptyString(table_name),
    column: toNonEmptyString(column_name),
    constraint: toNonEmptyString(constraint_name),
    hint: !inner && isSchemaMismatch(error) ? HINT : undefined,
    stack: isUnavailable(error) ? undefined : extractFrames(error),
    cause: inner && !path.includes(inner) ? describe(inner, path) : undefined,
    others: others.length > 0 ? others.filter((other) => !path.includes(other)).map((other) => describe(other, path)) : undefined,
  }
  return Object.fromEntries(Object.entries(description).filter(([, value]) => value !== undefined)) as ErrorDescription
}
