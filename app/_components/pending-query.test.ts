/** Tests changes to a list while the previous change is still loading. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import type { Column } from '@/lib/catalog/columns'
import { getHeaderSort } from '../(dashboard)/[resource]/table-view'
import { parseView, viewLink } from '../(dashboard)/overview/view'
import { changeQuery, isLoading, isPushPending, setPending, setShown, toPendingHref, viewKey } from './pending-query'
import { linkTo, type QueryLink } from './with-params'

vi.stubGlobal('window', { location: { href: 'https://desk.example/payments' } })
afterAll(() => vi.unstubAllGlobals())

beforeEach(() => setShown('/payments?status=paid&starting_after=a'))

const shown = new URLSearchParams('status=paid&starting_after=a')

function clickTo({ href, 'data-params': params }: QueryLink): string {
  const { pathname, search } = new URL(href, 'https://desk.example')
  return toPendingHref({ href, pathname, search, dataset: { params } } as unknown as HTMLAnchorElement)
}

function sortParams(url: string): string {
  const { pathname, searchParams } = new URL(url, 'https://desk.example')
  searchParams.sort()
  return `${pathname}?${searchParams}`
}

it('a link opens its own URL unless a change to its list is loading', () => {
  expect(clickTo(linkTo('/payments', shown, { status: 'failed' }))).toBe('/payments?status=failed')
  setPending('/bookings?period=today', 'push')
  expect(clickTo(linkTo('/payments', shown, { status: 'failed' }))).toBe('/payments?status=failed')
})

it.each([
  ['/payments?status=paid&period=today&peek=x', { status: 'failed' }, '/payments?status=failed&period=today'],
  ['/payments?status=failed', { status: 'paid' }, '/payments?status=paid'],
  ['/payments?status=failed', { status: undefined }, '/payments'],
  ['/payments?status=paid&starting_after=b', { sort: 'customer' }, '/payments?status=paid&sort=customer'],
  ['/payments', { sort: '-amount', currency: 'EUR' }, '/payments?sort=-amount&currency=EUR'],
])('while %s is loading, a link that changes %j opens %s', (pending, changes, url) => {
  setPending(pending, 'push')
  expect(clickTo(linkTo('/payments', shown, changes))).toBe(url)
})

it.each([
  ['/payments?amount%5Bgte%5D=5000&currency=USD', '/payments?amount%5Bgte%5D=5000&currency=USD&sort=-amount'],
  ['/payments?period=today', '/payments?period=today&sort=-amount&currency=EUR'],
])('while %s is loading, amounts are sorted in its currency, falling back to the currency of the rows: %s', (pending, url) => {
  for (const query of [shown, new URLSearchParams('currency=EUR')]) {
    setPending(pending, 'push')
    const link = getHeaderSort({ sort: 'amount' } as Column, '/payments', query, { sort: 'createdAt', isAscending: false }, 'EUR')?.link
    expect(link && sortParams(clickTo(link))).toBe(sortParams(url))
  }
})

it('a pager link keeps its cursor only if the list that is loading has the same filters', () => {
  const next = linkTo('/payments', shown, { starting_after: 'b' })
  expect(clickTo(next)).toBe('/payments?status=paid&starting_after=b')
  setPending('/payments?starting_after=b&status=paid', 'push')
  expect(clickTo(next)).toBe('/payments?starting_after=b&status=paid')
  setPending('/payments?status=failed', 'push')
  expect(clickTo(next)).toBe('/payments?status=failed')
})

it('the currency and the period of the overview are applied to the view that is loading', () => {
  const link = viewLink(parseView({ days: '7' }), { currency: 'JPY' })
  setPending('/overview?month=last&table=on', 'push')
  expect(clickTo(link)).toBe('/overview?month=last&table=on&currency=JPY')
  expect(clickTo(viewLink(parseView({ days: '7' }), { period: 90 }))).toBe('/overview?table=on&days=90')
})

it('amounts are not sorted after their currency has been removed', () => {
  setPending('/payments?sort=amount&currency=EUR', 'push')
  expect(changeQuery('/payments', shown, { search: 'ada' })).toBe('/payments?sort=amount&currency=EUR&search=ada')
  expect(changeQuery('/payments', shown, { currency: undefined })).toBe('/payments')
})

it('only a push to another URL of the same path adds a history entry', () => {
  expect(isPushPending('/payments')).toBe(false)
  setPending('/payments?status=failed', 'push')
  expect([isPushPending('/payments'), isPushPending('/bookings')]).toEqual([true, false])
  setPending('/payments?search=ada', 'replace')
  expect(isPushPending('/payments')).toBe(false)
  setPending('/payments?status=paid&starting_after=a', 'push')
  expect(isPushPending('/payments')).toBe(false)
  setShown('/payments?')
  setPending('/payments', 'push')
  expect(isPushPending('/payments')).toBe(false)
})

it('a URL is loading until it is shown, unless only the drawer differs', () => {
  expect(isLoading()).toBe(false)
  setPending('/payments?status=failed', 'push')
  expect(isLoading()).toBe(true)
  setShown('/payments?status=failed')
  expect(isLoading()).toBe(false)
  setPending('/payments?status=failed&peek=a', 'traverse')
  expect(isLoading()).toBe(false)
})

it('viewKey omits the drawer’s record, wherever it is in the query', () => {
  const paid = viewKey(new URL('https://desk.example/payments?status=paid'))
  for (const search of ['?peek=x&status=paid', '?status=paid&peek=x']) expect(viewKey({ pathname: '/payments', search })).toBe(paid)
  expect(viewKey({ pathname: '/payments', search: '?peek=x' })).toBe(viewKey({ pathname: '/payments', search: '' }))
})
