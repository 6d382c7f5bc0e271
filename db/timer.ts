/** A timeout that allows more time if the event loop was blocked or the process was suspended. */

/** If a timer is late by more than this fraction of its duration, the event loop was blocked, or the process was not scheduled. */
const MAX_LATENESS = 0.1

/**
 * Calls `callback` after `ms` milliseconds. If the timer fires late, first waits once more, for as long as it was late but at most `ms`
 * milliseconds, so that responses that have arrived in the meantime can be read.
 *
 * @returns a function that cancels the timer
 */
export function startTimer(ms: number, callback: () => void): () => void {
  const due = performance.now() + ms
  let timer = setTimeout(() => {
    const lateness = performance.now() - due
    if (lateness > ms * MAX_LATENESS) timer = setTimeout(callback, Math.min(lateness, ms))
    else callback()
  }, ms)
  return () => clearTimeout(timer)
}
