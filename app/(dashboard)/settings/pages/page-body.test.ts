/** Tests that the form for a product or event saves only what the user has changed. */
import { expect, it } from 'vitest'
import { localIn } from '@/lib/core/time'
import { buildPageBody, parsePageChanges } from './page-body'

const ZONE = 'Europe/Amsterdam'

/**
 * Returns the end time in the body of a submitted form.
 *
 * @param stored the end time when the form was opened
 * @param local the submitted field; by default unchanged
 */
function submitEnd(stored: string | undefined, local = localIn(ZONE, stored)): string | null {
  const form = new FormData()
  form.set('endsAt', local)
  if (stored !== undefined) form.set('original.endsAt', stored)
  return buildPageBody(form, ZONE).endsAt
}

it.each([
  ['with seconds', '2026-11-21T22:59:59.999Z'],
  ['in the first occurrence of an hour that is repeated when the clocks are set back', '2026-10-25T00:30:00.000Z'],
  ['in the second occurrence of that hour', '2026-10-25T01:30:00.000Z'],
])('keeps an unchanged time %s', (_, stored) => {
  expect(submitEnd(stored)).toBe(stored)
})

it('converts a changed time to UTC, and removes a cleared one', () => {
  expect(submitEnd('2026-11-21T22:59:59.999Z', '2026-11-22T00:30')).toBe('2026-11-21T23:30:00.000Z')
  expect(submitEnd(undefined, '2026-11-22T00:30')).toBe('2026-11-21T23:30:00.000Z')
  expect(submitEnd('2026-11-21T22:59:59.999Z', '')).toBeNull()
  expect(submitEnd('no time', '2026-11-22T00:30')).toBe('2026-11-21T23:30:00.000Z')
})

/**
 * Submits a form that was opened in the time zone UTC.
 *
 * @param changes the fields that the user has changed
 * @param name the original name
 * @returns the changed members, or the names of the invalid fields
 */
function submitChanges(changes: Record<string, string>, name = 'Jazz') {
  const original = { name, entryPolicy: 'single', capacity: '100', offlineAdmission: 'on', offlineNames: '', offlineSearch: '' }
  const form = new FormData()
  for (const [field, value] of Object.entries(original)) form.set(`original.${field}`, value)
  form.set('original.startsAt', '2026-12-05T19:30:00.000Z')
  form.set('timeZone', 'UTC')
  const fields = { ...original, startsAt: '2026-12-05T19:30', ...changes }
  // An unchecked checkbox is not submitted.
  for (const [field, value] of Object.entries(fields)) if (value || !field.startsWith('offline')) form.set(field, value)
  // The shop's time zone has changed since the form was opened.
  const parsed = parsePageChanges(form, buildPageBody(form, ZONE))
  return parsed.success ? parsed.data : parsed.error.issues.map(({ path }) => path[0])
}

it.each([
  ['has changed nothing', {}, {}],
  ['has changed the name', { name: 'Late Jazz' }, { name: 'Late Jazz' }],
  ['has cleared the capacity', { capacity: '' }, { capacity: null }],
  ['has changed the checkboxes', { offlineAdmission: '', offlineSearch: 'on' }, { offlineAdmission: false, offlineSearch: true }],
  ['has changed the start', { startsAt: '2026-12-05T20:00' }, { startsAt: '2026-12-05T20:00:00.000Z' }],
  ['has cleared the start', { startsAt: '' }, { startsAt: null }],
])('saves only what has changed, in the form’s original time zone, if the user %s', (_, changes, saved) => {
  expect(submitChanges(changes)).toEqual(saved)
})

it.each([
  ['too long for the form', 'x'.repeat(201)],
  ['blank', '   '],
])('accepts an imported name that is %s, unless the user has entered it', (_, name) => {
  expect(submitChanges({ entryPolicy: 'multiple' }, name)).toEqual({ entryPolicy: 'multiple' })
  expect(submitChanges({ name: 'Late Jazz' }, name)).toEqual({ name: 'Late Jazz' })
  expect(submitChanges({ name })).toEqual(['name'])
})

it('compares a changed time with the other one', () => {
  expect(submitChanges({ endsAt: '2026-12-05T19:29' })).toEqual(['endsAt'])
  expect(submitChanges({ endsAt: '2026-12-05T19:30' })).toEqual({ endsAt: '2026-12-05T19:30:00.000Z' })
})
