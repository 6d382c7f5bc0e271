/** The results that a device shows for its own decisions. */
import { expect, it } from 'vitest'
import { toLocalOutcome } from './outcomes'

it.each([
  ['a guest who enters', { checkIn: true }, 'paper-ticket'],
  ['a guest who leaves', { checkIn: true, direction: 'out' as const }, undefined],
  ['a preview', { checkIn: false }, undefined],
])('of %s with an unknown code can be overridden only if the guest enters', (_, scan, override) => {
  const decision = { kind: 'unknown' as const, message: undefined, index: '' }
  const { details } = toLocalOutcome({ by: 'device', decision, listUpdatedAt: 0 }, { code: 'paper-ticket', ...scan }, 'UTC')
  expect(details?.local?.override?.code).toBe(override)
})
