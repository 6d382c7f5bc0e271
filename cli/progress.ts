/** A progress bar on stderr, on a terminal only: a log file gets none. */

const WIDTH = 28
const EVERY_MS = 100

export type Bar = { update(done: number, records: number): void; end(): void }

/** @param total what `done` will reach; 0 where that is not known, and a count stands in for the bar */
export function progressBar(label: string, total: number, stream: NodeJS.WriteStream = process.stderr): Bar {
  if (!stream.isTTY) return { update() {}, end() {} }
  let last = 0
  return {
    update(done, records) {
      const now = Date.now()
      if (now - last < EVERY_MS && done < total) return
      last = now
      const share = total > 0 ? Math.min(1, done / total) : 0
      const filled = Math.round(share * WIDTH)
      const bar = total > 0 ? `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${String(Math.floor(share * 100)).padStart(3)} % ` : ''
      stream.write(`\r\x1b[K${label} ${bar}${records.toLocaleString('en')} records`)
    },
    end() {
      stream.write('\r\x1b[K')
    },
  }
}
