/** Errors of server actions that the form or button shows next to itself, so that the page keeps what the user has entered. */

/** Starts the digests of these errors. In production, the digest is all that the browser receives of an error. */
const DIGEST = 'action-error:'

/** Thrown by a server action to show its message. The browser reads the message from the digest. */
export class ActionError extends Error {
  readonly digest: string

  constructor(message: string) {
    super(message)
    this.digest = DIGEST + message
  }
}

/** Returns the message of an `ActionError` that the browser received, or undefined for other errors. */
export function findActionMessage(error: unknown): string | undefined {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : ''
  return digest.startsWith(DIGEST) ? digest.slice(DIGEST.length) : undefined
}

/**
 * Returns the message of an error that the form or button of a server action shows: an `ActionError`, or the `AbortError` of `sendOnce`.
 * Rethrows other errors.
 */
export function toActionMessage(error: unknown): string {
  const lost = error instanceof DOMException && error.name === 'AbortError' ? error.message : undefined
  const message = findActionMessage(error) ?? lost
  if (message === undefined) throw error
  return message
}
