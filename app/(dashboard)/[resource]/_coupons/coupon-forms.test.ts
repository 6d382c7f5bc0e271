/** Tests that the form for editing a coupon keeps products and events that the shop does not have. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { buildCouponUpdate } from './coupon-body'
import { EditForm } from './coupon-forms'

const PAGES = [
  { id: 'a', name: 'Jazz' },
  { id: 'c', name: 'Opera' },
]

/** Returns the edit form of a coupon as markup. */
const render = (pageIds: string[], pages = PAGES) =>
  renderToStaticMarkup(
    createElement(EditForm, {
      pages,
      timeZone: 'UTC',
      origin: 'https://desk.example.com',
      coupon: { id: 'coupon', code: 'SUMMER', label: 'Summer', redeemBy: '', pageIds, deleted: false },
      onSuccess: () => {},
    }),
  )

const getAttribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

/** Returns the form as the browser submits it. @param toggled the products and events that the user selects or deselects */
function submit(markup: string, toggled: string[] = []): FormData {
  const form = new FormData()
  for (const [tag] of markup.matchAll(/<input [^>]*>/g)) {
    const value = getAttribute(tag, 'value')
    const isChecked = tag.includes(' checked=') !== toggled.includes(value)
    if (getAttribute(tag, 'type') !== 'checkbox' || isChecked) form.append(getAttribute(tag, 'name'), value)
  }
  return form
}

const submitted = (markup: string, toggled?: string[]) => buildCouponUpdate(submit(markup, toggled), 'UTC')

it.each([
  ['selects another one', ['c'], { pageIds: ['a', 'c', 'x'] }],
  ['deselects a known one', ['a'], { pageIds: ['x'] }],
  ['deselects the unknown one', ['x'], { pageIds: ['a'] }],
  ['deselects both', ['a', 'x'], { pageIds: null }],
  ['changes nothing', [], {}],
])('keeps an unknown product or event unless the user deselects it: if the user %s, submits the rest', (_, toggled, body) => {
  expect(submitted(render(['x', 'a']), toggled)).toEqual(body)
})

it('labels an unknown product or event with its ID, even if the shop has none', () => {
  const markup = render(['x'], [])
  expect(markup).toMatch(/ value="x"[^>]*>(?:<[^>]*>)*x</)
  expect(submitted(markup, ['x'])).toEqual({ pageIds: null })
})

it('submits no change if an imported coupon contains a product or event twice', () => {
  expect(submitted(render(['a', 'x', 'x', 'a']))).toEqual({})
})
