/** Distinguishes scanned codes from typed ones, because barcode scanners that act as keyboards send key presses too. */
import type { CodeSource } from '@/lib/admission/scan-source'

/** The maximum average time between a scanner's characters, in milliseconds. No one types a code that fast. */
const SCANNED_MS = 40
/** With fewer characters, the typing speed is not reliable. */
const MIN_SCANNED = 4

/** Returns the source of a code. @param times when keys were pressed, in milliseconds; fewer than characters if the code was pasted */
function toCodeSource(code: string, times: readonly number[]): CodeSource {
  if (code.length < MIN_SCANNED || times.length < code.length) return 'typed'
  const ms = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return ms <= (times.length - 1) * SCANNED_MS ? 'scanner' : 'typed'
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'timeStamp'>

/** Creates a timer that records when keys are pressed in a field. */
export function createKeystrokeTimer() {
  let times: number[] = []
  return {
    /** Adds a key press. Uses the event's timestamp, because a busy page handles events late. */
    add({ key, timeStamp }: KeyPress): void {
      if (key.length === 1) times.push(timeStamp)
    },
    clear(): void {
      times = []
    },
    /** Returns the source of a code, and resets the times. */
    takeSource(code: string): CodeSource {
      const source = toCodeSource(code, times)
      times = []
      return source
    },
  }
}
