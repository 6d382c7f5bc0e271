/** Tracks the URL that the router is loading, so that another change to the same list builds on that URL instead of replacing it. */
import { PEEK } from './peek-param'
import { type Changes, changeParams, NO_CURSOR, withParams } from './with-params'

/** How a navigation changes the history. */
export type Navigation = 'push' | 'replace' | 'traverse'

let shown: URL | undefined
let pending: { url: URL; navigation: Navigation } | undefined

const toUrl = (url: string) => new URL(url, window.location.href)

/** Stores the URL that the router now shows, which ends the navigation. */
export function setShown(url: string): void {
  shown = toUrl(url)
  pending = undefined
}

/** Stores the URL that the router is loading. */
export function setPending(url: string, navigation: Navigation): void {
  pending = { url: toUrl(url), navigation }
}

/**
 * Returns a URL's path and query for comparisons, without the drawer's record, because opening the drawer is not a navigation. An empty
 * query equals a missing one.
 */
export const viewKey = ({ pathname, search }: { pathname: string; search: string }) => `${pathname}?${omitParams(search, [PEEK])}`

/** Returns whether the router is loading another URL. Changing the history would cancel the navigation. */
export const isLoading = (): boolean => pending !== undefined && viewKey(pending.url) !== (shown && viewKey(shown))

/** Returns whether a history entry for a path will be added once its URL is loaded. Another navigation would prevent that. */
export const isPushPending = (path: string): boolean => isLoading() && pending?.navigation === 'push' && pending.url.pathname === path

const pendingQuery = (path: string): string | undefined => (pending?.url.pathname === path ? pending.url.search : undefined)

/**
 * Returns the URL of a list after changes to the query that is loading or, if there is none, to `query`. Removes the drawer's record, which
 * belongs to the previous rows.
 */
export function changeQuery(path: string, query: URLSearchParams, changes: Changes): string {
  const next = changeParams(new URLSearchParams(pendingQuery(path) ?? query), { ...changes, [PEEK]: undefined })
  // Amounts can be sorted only within one currency.
  const isSortable = next.has('currency') || !next.get('sort')?.endsWith('amount')
  return withParams(path, next, isSortable ? {} : { sort: undefined })
}

export const CURSOR_NAMES = Object.keys(NO_CURSOR)

/** Returns a query without some of its parameters, for comparisons. Sorts the others. */
export function omitParams(query: string, names: string[]): string {
  const rest = changeParams(new URLSearchParams(query), Object.fromEntries(names.map((name) => [name, undefined])))
  rest.sort()
  return rest.toString()
}

/** A link, or the URL of a form with its fields, and the names of the parameters that it changes (`QueryLink`). */
type QueryTarget = Pick<HTMLAnchorElement, 'href' | 'pathname' | 'search'> & { dataset: { params?: string } }

/** Returns the URL that a link or form opens. If another query of the same list is loading, applies the changes to that query. */
export function toPendingHref({ href, pathname, search, dataset: { params } }: QueryTarget): string {
  const loading = pendingQuery(pathname)
  if (params === undefined || loading === undefined) return href
  const linkParams = new URLSearchParams(search)
  const pick = (names: string[]): Changes => Object.fromEntries(names.map((name) => [name, linkParams.get(name) ?? undefined]))
  const names = params.split(' ')
  const ignoredParams = [...names, ...CURSOR_NAMES, PEEK]
  // A link's cursor belongs to the list shown.
  const isSameList = omitParams(search, ignoredParams) === omitParams(loading, ignoredParams)
  // Amounts are sorted in the currency of the query that is loading, if it has one.
  const isSortedByAmount = names.includes('sort') && linkParams.get('sort')?.endsWith('amount')
  const currency = isSortedByAmount && !new URLSearchParams(loading).has('currency') ? pick(['currency']) : {}
  return changeQuery(pathname, linkParams, { ...pick(names), ...currency, ...(isSameList ? pick(CURSOR_NAMES) : NO_CURSOR) })
}
