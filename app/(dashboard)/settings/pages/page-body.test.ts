/** The form for a product or event changes only the times that the user has changed. */
import { expect, it } from 'vitest'
import { localIn } from '@/lib/core/time'
import { pageBody } from './page-body'

const ZONE = 'Europe/Amsterdam'

/** Returns the end in the submitted form. @param stored the end when the form was opened @param local the submitted field */
function submitEnd(stored: string | undefined, local = localIn(ZONE, stored)): string | null {
  const form = new FormData()
  form.set('endsAt', local)
  if (stored !== undefined) form.set('original.endsAt', stored)
  return pageBody(form, ZONE).endsAt
}

it.each([
  ['with seconds', '2026-11-21T22:59:59.999Z'],
  ['in the first of two equal hours', '2026-10-25T00:30:00.000Z'],
  ['in the second of two equal hours', '2026-10-25T01:30:00.000Z'],
])('keeps an unchanged time %s', (_, stored) => {
  expect(submitEnd(stored)).toBe(stored)
})

it('converts a changed time, and removes a cleared one', () => {
  expect(submitEnd('2026-11-21T22:59:59.999Z', '2026-11-22T00:30')).toBe('2026-11-21T23:30:00.000Z')
  expect(submitEnd(undefined, '2026-11-22T00:30')).toBe('2026-11-21T23:30:00.000Z')
  expect(submitEnd('2026-11-21T22:59:59.999Z', '')).toBeNull()
  expect(submitEnd('no time', '2026-11-22T00:30')).toBe('2026-11-21T23:30:00.000Z')
})
