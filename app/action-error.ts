/** Errors of server actions that are shown next to the form or button, so that the page keeps the user's input. */

/** The prefix of these errors' digests. In production, the browser receives only the digest of an error. */
const DIGEST_PREFIX = 'action-error:'

/** Thrown by a server action to show its message. The browser reads the message from the digest. */
export class ActionError extends Error {
  readonly digest: string

  constructor(message: string) {
    super(message)
    this.digest = DIGEST_PREFIX + message
  }
}

/** Returns the message of an `ActionError` that the browser received, or undefined for other errors. */
export function findActionMessage(error: unknown): string | undefined {
  const digest = error instanceof Error && 'digest' in error ? String(error.digest) : ''
  return digest.startsWith(DIGEST_PREFIX) ? digest.slice(DIGEST_PREFIX.length) : undefined
}

/**
 * Returns the message to show next to the form or button of a failed server action. Rethrows errors other than `ActionError` and the
 * `AbortError` of `sendOnce`.
 */
export function toActionMessage(error: unknown): string {
  const abortMessage = error instanceof DOMException && error.name === 'AbortError' ? error.message : undefined
  const message = findActionMessage(error) ?? abortMessage
  if (message === undefined) throw error
  return message
}
