/** The sound and vibration of each result, for staff who are not looking at the screen. */
import type { ResultKind } from './scan-result'

type Signal = {
  /** Frequencies in hertz, played in order. */
  notes: readonly number[]
  /** Alternating on and off durations in milliseconds, as in `navigator.vibrate`. */
  vibration: readonly number[]
}

/** Only an admission starts with rising notes. All sounds and vibration patterns differ. */
export const SIGNALS: Record<ResultKind, Signal> = {
  admitted: { notes: [880, 1320], vibration: [60] },
  checked_out: { notes: [1320, 880], vibration: [60, 40, 60] },
  not_checked_in: { notes: [300, 240, 300], vibration: [100, 60, 100, 60] },
  replayed: { notes: [880, 440, 880], vibration: [60, 60, 200] },
  previewed: { notes: [880], vibration: [30] },
  already_checked_in: { notes: [440, 440, 440], vibration: [100, 60, 100] },
  canceled: { notes: [240, 180], vibration: [400] },
  other_event: { notes: [520, 390], vibration: [100, 60, 100, 60, 100] },
  unknown: { notes: [200, 200], vibration: [250, 80, 250] },
  undone: { notes: [660, 550, 440], vibration: [60, 60, 60] },
  offline: { notes: [330, 300, 270, 240], vibration: [40, 40, 40, 40, 40, 40, 40] },
  failed: { notes: [260], vibration: [300, 100, 100] },
}

/** The duration of a note, in seconds. */
const NOTE_SECONDS = 0.12

let context: AudioContext | undefined
let isMuted = false

/** Turns the sound off or on. Vibration is not affected. */
export function setMuted(muted: boolean): void {
  isMuted = muted
}

/** Resumes the sound. On iOS, its state is `interrupted` after a call or after the screen was locked. */
function resumeSound(): void {
  if (context && context.state !== 'running' && context.state !== 'closed') void context.resume().catch(() => {})
}

/** Enables sound. Call it on each tap and key press, because browsers allow sound only after a user gesture. */
export function unlockSound(): void {
  if (typeof AudioContext === 'undefined') return
  context ??= new AudioContext()
  resumeSound()
}

/** Plays the sound of a result, unless it is muted, and vibrates if the device supports this. */
export function playSignal(kind: ResultKind): void {
  const { notes, vibration } = SIGNALS[kind]
  navigator.vibrate?.([...vibration])
  // Someone who scans with the camera may not tap the screen for a long time.
  resumeSound()
  if (isMuted || context?.state !== 'running') return
  const start = context.currentTime
  for (const [index, frequency] of notes.entries()) {
    const tone = context.createOscillator()
    const volume = context.createGain()
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.2, start + index * NOTE_SECONDS)
    volume.gain.exponentialRampToValueAtTime(0.001, start + (index + 1) * NOTE_SECONDS)
    tone.connect(volume).connect(context.destination)
    tone.start(start + index * NOTE_SECONDS)
    tone.stop(start + (index + 1) * NOTE_SECONDS)
  }
}
