/** The query of a list that is being loaded, so that another change to the list builds on it instead of dropping it. */
import { NO_CURSOR, withParams } from './with-params'

let pending: URL | undefined

/** Stores the URL that the router is loading, or undefined once it is shown. */
export function setPending(url: string | undefined): void {
  pending = url === undefined ? undefined : new URL(url, window.location.href)
}

/** Returns the query that is being loaded for a path, or undefined if there is none. */
export const pendingQuery = (path: string): string | undefined => (pending?.pathname === path ? pending.search : undefined)

/** Returns a link to another view of the current list, with the search that is being loaded, unless the link has its own search. */
export function withPendingSearch({ href, pathname, search }: HTMLAnchorElement): string {
  const query = pendingQuery(pathname)
  if (query === undefined) return href
  const getSearch = (text: string) => new URLSearchParams(text).get('search') ?? undefined
  const [shown, next] = [getSearch(window.location.search), getSearch(query)]
  if (next === shown || getSearch(search) !== shown) return href
  return withParams(pathname, new URLSearchParams(search), { ...NO_CURSOR, search: next })
}
