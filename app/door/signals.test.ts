/** Each kind of result has its own sound and vibration, and the sound returns after an interruption. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { playSignal, SIGNALS, unlockSound } from './signals'

/** The audio context. Its state is not `running`, so no sound is played. */
const audio = { state: 'suspended', resume: vi.fn(() => Promise.reject(new DOMException('not allowed', 'InvalidStateError'))) }

beforeEach(() => {
  audio.resume.mockClear()
  vi.stubGlobal('AudioContext', function AudioContext() {
    return audio
  })
  vi.stubGlobal('navigator', {})
})
afterEach(() => {
  vi.unstubAllGlobals()
})

it.each(['notes', 'vibration'] as const)('assigns different %s to each kind of result', (part) => {
  const all = Object.values(SIGNALS).map((signal) => signal[part].join(' '))
  expect(new Set(all).size).toBe(all.length)
})

it.each(['suspended', 'interrupted'])('on each tap and each result, tries to resume sound that is %s', (state) => {
  audio.state = state
  unlockSound()
  expect(audio.resume).toHaveBeenCalledTimes(1)
  playSignal('admitted')
  expect(audio.resume).toHaveBeenCalledTimes(2)
})

it.each(['running', 'closed'])('on a tap, does not resume sound that is %s', (state) => {
  audio.state = state
  unlockSound()
  expect(audio.resume).not.toHaveBeenCalled()
})
