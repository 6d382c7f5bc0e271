/** Tests `Position`. */
import { createElement } from 'react'
import { prerender } from 'react-dom/static'
import { expect, test } from 'vitest'
import { listCopy } from '@/app/copy/list'
import { Position } from './position'

/** Returns the HTML. Without its error handling, the page would be rendered again in the browser, and show the error page there. */
async function render(find: () => Promise<number | undefined>): Promise<string> {
  const errors: unknown[] = []
  const element = createElement(Position, { start: undefined, count: 20, total: 50_000, find })
  const { prelude } = await prerender(element, { onError: (error) => void errors.push(error) })
  const html = await new Response(prelude).text()
  expect(errors).toEqual([])
  return html
}

test('a position that is counted after the page is shown, and one that cannot be counted is omitted', async () => {
  expect(await render(async () => 30_001)).toContain(listCopy.position(30_001, 20, 50_000))
  expect(await render(async () => undefined)).toContain(listCopy.position(undefined, 20, 50_000))
  expect(await render(() => Promise.reject(new Error('canceled')))).toContain(listCopy.position(undefined, 20, 50_000))
})
