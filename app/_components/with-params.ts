/** Returns the URL of a list with changed query parameters. */
export function withParams(path: string, query: URLSearchParams, changes: Record<string, string | undefined>): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text ? `${path}?${text}` : path
}

/** Changes that remove the cursor, which is no longer valid after a filter or the sort order has changed. */
export const NO_CURSOR = { starting_after: undefined, ending_before: undefined }
