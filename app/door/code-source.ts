/** Distinguishes scanned codes from typed ones: keyboard scanners send key presses too. */
import type { CodeSource } from '@/lib/admission/scan-source'

/** The maximum time between a scanner's characters, in milliseconds. No one types a code that fast. */
const SCANNED_MS = 40
/** With fewer characters, the typing speed is not reliable. */
const MIN_SCANNED = 4

/** @param times when the characters were pressed, in milliseconds. Pasted text has fewer times than characters */
export function toCodeSource(code: string, times: readonly number[]): CodeSource {
  if (code.length < MIN_SCANNED || times.length < code.length) return 'typed'
  const ms = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return ms <= (times.length - 1) * SCANNED_MS ? 'scanner' : 'typed'
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'timeStamp'>

/** Collects the key presses of a field. */
export function createKeyTimes() {
  let times: number[] = []
  return {
    /** Adds a key press, at the time of the event, because the page can be busy. */
    add({ key, timeStamp }: KeyPress): void {
      if (key.length === 1) times.push(timeStamp)
    },
    clear(): void {
      times = []
    },
    /** Returns the source of a code, and resets the times. */
    take(code: string): CodeSource {
      const source = toCodeSource(code, times)
      times = []
      return source
    },
  }
}
