/** An outage is told from a mistake, whoever threw it. */
import { expect, it } from 'vitest'
import { isUnavailable, Unavailable } from './unavailable'

/** As another bundle of the same process has it. */
class Copied extends Error {
  override name = 'Unavailable'
}

it.each([
  ['of this module', new Unavailable('full'), true],
  ['of a copy of it', new Copied('full'), true],
  ['that was wrapped', new Error('failed', { cause: new Copied('full') }), true],
  ['of a lock not to be had', Object.assign(new Error('lock'), { code: '55P03' }), true],
  ['of a wrong statement', Object.assign(new Error('syntax'), { code: '42601' }), false],
  ['of our own', new TypeError('x is not a function'), false],
  ['that is none', 'Unavailable', false],
])('an error %s', (_, error, away) => {
  expect(isUnavailable(error)).toBe(away)
})
