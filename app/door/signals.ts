/** What each answer sounds and feels like: a door does not always look at the screen. */
import type { ShownKind } from './shown'

type Signal = {
  /** Hertz, one after the other. */
  notes: readonly number[]
  /** Milliseconds, on and off by turns. */
  vibration: readonly number[]
}

/** Rising lets in, falling does not; how often it shakes tells the rest apart in a pocket. */
export const SIGNALS: Record<ShownKind, Signal> = {
  admitted: { notes: [880, 1320], vibration: [60] },
  previewed: { notes: [880], vibration: [30] },
  already_checked_in: { notes: [440, 440, 440], vibration: [100, 60, 100] },
  canceled: { notes: [240, 180], vibration: [400] },
  other_event: { notes: [520, 390], vibration: [100, 60, 100, 60, 100] },
  unknown: { notes: [200, 200], vibration: [250, 80, 250] },
  undone: { notes: [660, 550, 440], vibration: [60, 60, 60] },
  offline: { notes: [330, 300, 270, 240], vibration: [40, 40, 40, 40, 40, 40, 40] },
  failed: { notes: [260], vibration: [300, 100, 100] },
}

const NOTE_SECONDS = 0.12

let context: AudioContext | undefined

/** Browsers let a page sound only once it was touched: called on the first touch or key. */
export function unlockSound(): void {
  if (typeof AudioContext === 'undefined') return
  context ??= new AudioContext()
  if (context.state === 'suspended') void context.resume().catch(() => {})
}

/** Sounds where it may and shakes where it can; a device that does neither is no fault. */
export function playSignal(kind: ShownKind): void {
  const { notes, vibration } = SIGNALS[kind]
  navigator.vibrate?.([...vibration])
  if (context?.state !== 'running') return
  const start = context.currentTime
  for (const [at, frequency] of notes.entries()) {
    const tone = context.createOscillator()
    const volume = context.createGain()
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.2, start + at * NOTE_SECONDS)
    volume.gain.exponentialRampToValueAtTime(0.001, start + (at + 1) * NOTE_SECONDS)
    tone.connect(volume).connect(context.destination)
    tone.start(start + at * NOTE_SECONDS)
    tone.stop(start + (at + 1) * NOTE_SECONDS)
  }
}
