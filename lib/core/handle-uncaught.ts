/** Sets what happens after an exception that nothing catches, or a rejection that nothing handles. */

type Handler = (error: unknown) => void

let current: Handler | undefined

/** Sets the handler of uncaught exceptions and unhandled rejections. Replaces the previous one: a server replaces that of `desk`. */
export function setUncaughtHandler(handler: Handler): void {
  if (!current) {
    process.on('uncaughtException', (error) => current?.(error))
    process.on('unhandledRejection', (error) => current?.(error))
  }
  current = handler
}
