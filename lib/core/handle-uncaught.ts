/** The process's handler for uncaught exceptions and unhandled rejections. */

type Handler = (error: unknown) => void

let current: Handler | undefined

/** Sets the handler, replacing the previous one: a server replaces the handler of `desk`. */
export function setUncaughtHandler(handler: Handler): void {
  if (!current) {
    process.on('uncaughtException', (error) => current?.(error))
    process.on('unhandledRejection', (error) => current?.(error))
  }
  current = handler
}
