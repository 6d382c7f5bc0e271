/** What a scan sounds and feels like: a door does not always look at the screen. */

export type Signal = 'good' | 'bad' | 'warn'

/** Frequencies in hertz, one after the other. */
const NOTES: Record<Signal, number[]> = { good: [880, 1320], bad: [220, 180], warn: [440, 440, 440] }
const VIBRATIONS: Record<Signal, number[]> = { good: [60], bad: [300], warn: [100, 60, 100] }
const NOTE_SECONDS = 0.12

let context: AudioContext | undefined

/** Browsers let a page sound only after it was touched; until then this is silent. */
export function playSignal(signal: Signal): void {
  navigator.vibrate?.(VIBRATIONS[signal])
  context ??= new AudioContext()
  const start = context.currentTime
  for (const [at, frequency] of NOTES[signal].entries()) {
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
