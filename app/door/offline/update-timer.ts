/** Runs a device's updates, one at a time. */
export type UpdateTimer = {
  /** Runs the next update within this many milliseconds. An update that is already running does not count. */
  runWithin(ms: number): void
  stop(): void
}

/** @param update resolves with the number of milliseconds until the next update */
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
