/** The check-in page knows whether a code was scanned or typed. */
import { expect, it } from 'vitest'
import { createKeyTimes } from './code-source'

/** Returns the source of a code whose keys were pressed with a pause in milliseconds. */
function press(code: string, pause: number, keys = [...code]) {
  const times = createKeyTimes()
  keys.forEach((key, at) => {
    times.add({ key, timeStamp: 5_000 + at * pause })
  })
  return times.take(code)
}

it.each([
  ['scanner', 'HJ39A31E50', 8],
  ['scanner', 'HJ39A31E50', 35],
  ['typed', 'HJ39A31E50', 90],
  ['typed', 'HJ', 8],
] as const)('is a %s for %j with %d ms between the keys', (source, code, pause) => {
  expect(press(code, pause)).toBe(source)
})

it('is typed if it was pasted, completed by the browser or corrected', () => {
  expect(press('HJ39A31E50', 0, [])).toBe('typed')
  expect(press('HJ39A31E50', 5, ['H', 'J'])).toBe('typed')
  expect(press('HJ39A31E50', 120, [...'HJ39A31E49', 'Backspace', 'Backspace', '5', '0'])).toBe('typed')
})

it('resets after each code', () => {
  const times = createKeyTimes()
  for (const [at, key] of [...'LH1'].entries()) times.add({ key, timeStamp: at * 200 })
  times.clear()
  for (const [at, key] of [...'LH10001'].entries()) times.add({ key, timeStamp: 9_000 + at * 5 })
  expect(times.take('LH10001')).toBe('scanner')
  expect(times.take('LH10001')).toBe('typed')
})
