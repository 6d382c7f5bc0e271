/** A timer for requests that wait, which excludes time in which the process did not run. */

/** If a timer fires late by more than this fraction of its duration, the event loop was blocked, or the process was not scheduled. */
const INTERRUPTED = 0.1

/**
 * Calls `callback` after `ms` milliseconds. If the event loop was blocked in the meantime, so that no responses were read, it first waits
 * once more for as long as that took, but at most `ms` milliseconds.
 *
 * @returns a function that cancels the timer
 */
export function startTimer(ms: number, callback: () => void): () => void {
  const due = performance.now() + ms
  let timer = setTimeout(() => {
    const late = performance.now() - due
    if (late > ms * INTERRUPTED) timer = setTimeout(callback, Math.min(late, ms))
    else callback()
  }, ms)
  return () => clearTimeout(timer)
}
