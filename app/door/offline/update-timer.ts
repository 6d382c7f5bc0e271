/** Runs a device's updates, one at a time. */
export type UpdateTimer = {
  /** Runs the next update within this many milliseconds. An update that is already running does not count. */
  runWithin(ms: number): void
  /** Runs no more updates. An update that is already running continues. */
  stop(): void
}

/** Creates a timer that is idle until the first call to `runWithin`. @param update resolves with the milliseconds until the next update */
export function createUpdateTimer(update: () => Promise<number>): UpdateTimer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let isRunning = false
  let isStopped = false

  function runWithin(ms: number): void {
    dueAt = Math.min(dueAt, performance.now() + ms)
    if (isRunning || isStopped) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(), dueAt - performance.now())
  }

  async function run(): Promise<void> {
    isRunning = true
    dueAt = Number.POSITIVE_INFINITY
    const ms = await update()
    isRunning = false
    runWithin(ms)
  }

  return {
    runWithin,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
