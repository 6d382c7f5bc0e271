/** Tests that only the driver's known bug is recognized, so that any other uncaught exception still terminates the process. */
import { expect, it } from 'vitest'
import { isDriverFault } from './driver'

const withStack = (error: Error, ...frames: string[]) =>
  Object.assign(error, { stack: [`${error.name}: ${error.message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n') })

const MESSAGE = "Cannot read properties of null (reading 'write')"
const FRAME = 'Immediate.nextWrite (file:///srv/desk/node_modules/postgres/src/connection.js:258:22)'
const TIMERS = 'process.processImmediate (node:internal/timers:476:21)'

it('recognizes the fault by its class and its first stack frame', () => {
  expect(isDriverFault(withStack(new TypeError(MESSAGE), FRAME, TIMERS))).toBe(true)
  expect(isDriverFault(withStack(new TypeError(MESSAGE), 'nextWrite (/srv/desk/node_modules/postgres/src/connection.js:258:22)'))).toBe(
    true,
  )
})

it.each([
  ['an error of a different class', withStack(new RangeError(MESSAGE), FRAME, TIMERS)],
  ['an error thrown by another function of the driver', withStack(new TypeError(MESSAGE), FRAME.replace('nextWrite', 'write'), TIMERS)],
  [
    'an error with that frame further down the stack',
    withStack(new TypeError(MESSAGE), 'listRecords (/srv/desk/lib/listing/list-records.ts:1:1)', FRAME),
  ],
  [
    'an error thrown by a function of this project with the same name',
    withStack(new TypeError(MESSAGE), 'nextWrite (/srv/desk/lib/http/connection.js:1:1)'),
  ],
  ['an error without a stack', Object.assign(new TypeError(MESSAGE), { stack: undefined })],
  ['a value that is not an error', 'nextWrite'],
])('does not recognize %s', (_, error) => {
  expect(isDriverFault(error)).toBe(false)
})
