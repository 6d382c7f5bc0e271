/** Tests that the form for editing a coupon submits only what the user has changed. */
import { expect, it } from 'vitest'
import { buildCouponUpdate } from './coupon-body'

const ORIGINAL = { label: 'Summer', maxRedemptions: '20', redeemBy: '2026-12-01T10:00', pageIds: 'a,b', deleted: '' }

/**
 * Returns the submitted form.
 *
 * @param values the fields that the user has changed
 * @param pageIds the selected products and events, in any order
 */
function submit(values: Partial<Omit<typeof ORIGINAL, 'pageIds'>>, pageIds = ['b', 'a']): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(ORIGINAL)) form.set(`original.${name}`, value)
  const { pageIds: _, ...fields } = ORIGINAL
  // An unchecked checkbox is not submitted.
  for (const [name, value] of Object.entries({ ...fields, ...values })) if (name !== 'deleted' || value) form.set(name, value)
  for (const pageId of pageIds) form.append('pageIds', pageId)
  return form
}

it.each([
  ['has changed nothing', {}, submit({})],
  ['has changed the label', { label: 'Winter' }, submit({ label: 'Winter' })],
  ['has cleared the limit', { maxRedemptions: null }, submit({ maxRedemptions: '' })],
  ['has changed the deadline', { redeemBy: '2026-12-02T09:00:00.000Z' }, submit({ redeemBy: '2026-12-02T10:00' })],
  ['has changed the products and events', { pageIds: ['a', 'c'] }, submit({}, ['c', 'a'])],
  ['has deselected all products and events', { pageIds: null }, submit({}, [])],
  ['has deleted the coupon', { deleted: true }, submit({ deleted: 'true' })],
])('if the user %s, submits %j', (_, body, form) => {
  expect(buildCouponUpdate(form, 'Europe/Amsterdam')).toEqual(body)
})

it('does not submit an unchanged label if the field has removed a line break from it', () => {
  const form = submit({ label: 'Line1Line2' })
  form.set('original.label', 'Line1\r\nLine2')
  expect(buildCouponUpdate(form, 'Europe/Amsterdam')).toEqual({})
})

it('interprets the deadline in the form’s original time zone', () => {
  const form = submit({ redeemBy: '2026-12-02T10:00' })
  form.set('timeZone', 'UTC')
  expect(buildCouponUpdate(form, 'Europe/Amsterdam')).toEqual({ redeemBy: '2026-12-02T10:00:00.000Z' })
})
