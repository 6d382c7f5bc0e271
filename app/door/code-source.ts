/** Tells codes of a keyboard scanner from typed ones: both arrive as key presses. */
import type { CodeSource } from '@/lib/admission/scan-source'

/** The most time that a scanner takes for a character, in milliseconds. Nobody types a code that fast. */
const SCANNED_MS = 40
/** Fewer characters do not show how fast somebody types. */
const MIN_SCANNED = 4

/** @param times when the characters were pressed, in milliseconds. What is pasted has fewer of them than characters */
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
    /** Adds a key press. The browser's time is used, because the page can be busy. */
    add({ key, timeStamp }: KeyPress): void {
      if (key.length === 1) times.push(timeStamp)
    },
    clear(): void {
      times = []
    },
    /** Returns where a code comes from, and starts again. */
    take(code: string): CodeSource {
      const source = toCodeSource(code, times)
      times = []
      return source
    },
  }
}
