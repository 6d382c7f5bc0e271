/** Reads errors together with their causes: Drizzle wraps the driver's error in its own, and an UnavailableError can wrap either. */

type ErrorFields = { code?: unknown; syscall?: unknown; severity?: unknown; constraint_name?: unknown }

/** Yields an error, its cause, the cause of the cause, and so on, each once. Yields nothing if the value is not an error. */
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
