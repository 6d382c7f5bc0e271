/** The query of a list that is being loaded, so that another change to the list builds on it instead of dropping it. */
import { NO_CURSOR, withParams } from './with-params'

let shown: URL | undefined
let pending: URL | undefined

const toUrl = (url: string) => new URL(url, window.location.href)

/** Stores the URL that the router shows now, which ends the navigation to it. */
export function setShown(url: string): void {
  shown = toUrl(url)
  pending = undefined
}

/** Stores the URL that the router is loading. */
export function setPending(url: string): void {
  pending = toUrl(url)
}

/** Returns the query that is being loaded for a path, or undefined if there is none. */
export const pendingQuery = (path: string): string | undefined => (pending?.pathname === path ? pending.search : undefined)

/** Returns a link to another view of the current list, with the search that is being loaded, unless the link has its own search. */
export function withPendingSearch({ href, pathname, search }: HTMLAnchorElement): string {
  const query = pendingQuery(pathname)
  if (query === undefined) return href
  const getSearch = (text = '') => new URLSearchParams(text).get('search') ?? undefined
  const [before, next] = [getSearch(shown?.search), getSearch(query)]
  if (next === before || getSearch(search) !== before) return href
  return withParams(pathname, new URLSearchParams(search), { ...NO_CURSOR, search: next })
}
