/** The log: one line of JSON an event, on stderr; never a query's values, a key or a record. */
import pino from 'pino'
import { env } from './env'

/** Kept on `globalThis`, for Next's bundle and the server's own modules are two copies of this one. */
const holder = globalThis as typeof globalThis & { checkoutDeskLog?: pino.Logger }

export function log(): pino.Logger {
  holder.checkoutDeskLog ??= pino({ level: env().LOG_LEVEL, base: undefined }, pino.destination({ dest: 2, sync: true }))
  return holder.checkoutDeskLog
}

/** An error without the text that a driver may have put bound values in. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const { routine, table_name, constraint_name } = error as { routine?: unknown; table_name?: unknown; constraint_name?: unknown }
  // A stack begins with the message; the frames alone are safe.
  const frames = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
  return {
    name: error.name,
    code,
    routine,
    table: table_name,
    constraint: constraint_name,
    frames,
    ...(cause ? { cause: describeError(cause) } : {}),
  }
}
