/** Redirects the output of libraries and Node to the log, so that every line the server writes is a JSON object. */
import { format, stripVTControlCharacters } from 'node:util'
import { log, redactMessage } from './log'

const LEVELS = { trace: 'debug', debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const

/** Converts an error, even one from another realm or next-auth's plain-object copy, to an `Error`. Returns undefined for other values. */
function toError(value: unknown): Error | undefined {
  if (value instanceof Error) return value
  const { message, stack, name } = Object(value) as Record<string, unknown>
  return typeof message === 'string' && typeof stack === 'string' ? Object.assign(new Error(message), { stack, name }) : undefined
}

/** Replaces the console's methods, so that each call writes one log line, with the stack of the first error among its arguments. */
export function redirectConsole(): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method as keyof typeof LEVELS] = (...values: unknown[]) => {
      const error = values.map(toError).find((found) => found !== undefined)
      const text = stripVTControlCharacters(format(...values.filter((value) => toError(value) === undefined)))
      log()[level]({ error }, redactMessage(text.replace(/\s+/g, ' ').trim()) ?? level)
    }
  }
  // Node's own listener prints several lines of text.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log().warn({ error: warning }, 'warning'))
}
