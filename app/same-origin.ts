/** Refuses a request that another site makes with this person's cookie. */

/** True where the browser says that our own page sends it (Fetch Metadata), or, where it says nothing, by its Origin. */
export function isSameOrigin({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  return origin !== null && URL.canParse(origin) && new URL(origin).host === headers.get('host')
}
