/** Changes the query parameters of a list's URL. */

/** Changes to query parameters. An empty or undefined value removes the parameter. */
export type Changes = Record<string, string | undefined>

/** Returns a copy of the query parameters with the changes. */
export function changeParams(query: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value)
    else next.delete(name)
  }
  return next
}

/** Returns a path with query parameters, after the given changes. */
export function withParams(path: string, query: URLSearchParams, changes: Changes = {}): string {
  const text = changeParams(query, changes).toString()
  return text ? `${path}?${text}` : path
}

/** Returns whether a list starts after or ends before a cursor, instead of starting at its first record. */
export const hasCursor = (query: URLSearchParams) => query.has('starting_after') || query.has('ending_before')

/** Changes that remove the cursor, because it becomes invalid when a filter or the sort order changes. */
export const NO_CURSOR = { starting_after: undefined, ending_before: undefined }

/** The props of a link that changes query parameters. `data-params` lists these parameters, excluding those of the cursor. */
export type QueryLink = { href: string; 'data-params': string }

/**
 * Returns the props of a link to a list with changed query parameters. The link has no cursor unless `changes` contains one. If other
 * changes to the list are still loading, a click keeps them (`toPendingHref`).
 */
export const linkTo = (path: string, query: URLSearchParams, changes: Changes): QueryLink => ({
  href: withParams(path, query, { ...NO_CURSOR, ...changes }),
  'data-params': Object.keys(changes)
    .filter((name) => !(name in NO_CURSOR))
    .join(' '),
})
