/** Shows a progress bar on stderr, if that is a terminal. */

const WIDTH = 28
const UPDATE_INTERVAL_MS = 100

export type ProgressBar = {
  /** Updates the bar. @param done the progress, in the unit of the total @param records the number of records so far */
  update(done: number, records: number): void
  /** Removes the bar. */
  end(): void
}

/** Creates a progress bar. @param total the final value of `done`; 0 if it is unknown, in which case only the number of records is shown */
export function progressBar(label: string, total: number): ProgressBar {
  if (!process.stderr.isTTY) return { update() {}, end() {} }
  let last = 0
  return {
    update(done, records) {
      const now = Date.now()
      if (now - last < UPDATE_INTERVAL_MS && done < total) return
      last = now
      const share = total > 0 ? Math.min(1, done / total) : 0
      const filled = Math.round(share * WIDTH)
      const bar = total > 0 ? `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${String(Math.floor(share * 100)).padStart(3)}% ` : ''
      process.stderr.write(`\r\x1b[K${label} ${bar}${records.toLocaleString('en-US')} records`)
    },
    end() {
      process.stderr.write('\r\x1b[K')
    },
  }
}
