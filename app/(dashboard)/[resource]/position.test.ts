/** Tests that the position of a table's page can be counted after the page is sent, and that a failed count does not break the page. */
import { createElement } from 'react'
import { prerender } from 'react-dom/static'
import { expect, test } from 'vitest'
import { listCopy } from '@/app/copy/list'
import { Position } from './position'

/** Returns the HTML and the errors. After an error, the browser would re-render the page and show the error page. */
async function render(find: () => Promise<number | undefined>): Promise<{ html: string; errors: unknown[] }> {
  const errors: unknown[] = []
  const element = createElement(Position, { start: undefined, count: 20, total: 50_000, findStart: find })
  const { prelude } = await prerender(element, { onError: (error) => void errors.push(error) })
  return { html: await new Response(prelude).text(), errors }
}

test('streams a position that is counted after the page, and omits one that cannot be counted', async () => {
  const contains = (start: number | undefined) => ({ html: expect.stringContaining(listCopy.position(start, 20, 50_000)), errors: [] })
  expect(await render(async () => 30_001)).toEqual(contains(30_001))
  expect(await render(async () => undefined)).toEqual(contains(undefined))
  const outage = Object.assign(new Error('canceled'), { name: 'UnavailableError' })
  expect(await render(() => Promise.reject(outage))).toEqual(contains(undefined))
})

test('reports an error that is not an outage', async () => {
  const error = new TypeError('a mistake in the code')
  expect((await render(() => Promise.reject(error))).errors).toEqual([error])
})
