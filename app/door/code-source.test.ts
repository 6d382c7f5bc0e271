/** The check-in page detects whether a code was scanned or typed. */
import { expect, it } from 'vitest'
import { createKeystrokeTimer } from './code-source'

/** Returns the detected source of a code. @param pause the time between key presses, in milliseconds @param keys by default, the code's */
function press(code: string, pause: number, keys = [...code]) {
  const timer = createKeystrokeTimer()
  keys.forEach((key, index) => {
    timer.add({ key, timeStamp: 5_000 + index * pause })
  })
  return timer.takeSource(code)
}

it.each([
  ['scanner', 'HJ39A31E50', 8],
  ['scanner', 'HJ39A31E50', 35],
  ['typed', 'HJ39A31E50', 90],
  ['typed', 'HJ', 8],
] as const)('returns %s for %j with %d ms between key presses', (source, code, pause) => {
  expect(press(code, pause)).toBe(source)
})

it('returns typed for a code that was pasted, completed by the browser or corrected', () => {
  expect(press('HJ39A31E50', 0, [])).toBe('typed')
  expect(press('HJ39A31E50', 5, ['H', 'J'])).toBe('typed')
  expect(press('HJ39A31E50', 120, [...'HJ39A31E49', 'Backspace', 'Backspace', '5', '0'])).toBe('typed')
})

it('forgets the key presses when it is cleared, and after it has returned a source', () => {
  const timer = createKeystrokeTimer()
  for (const [index, key] of [...'LH1'].entries()) timer.add({ key, timeStamp: index * 200 })
  timer.clear()
  for (const [index, key] of [...'LH10001'].entries()) timer.add({ key, timeStamp: 9_000 + index * 5 })
  expect(timer.takeSource('LH10001')).toBe('scanner')
  expect(timer.takeSource('LH10001')).toBe('typed')
})
