/** Protects against cross-site request forgery: checks that a request comes from our own pages, using Fetch Metadata or, if absent, `Origin`. */
export function isSameOrigin({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  return origin !== null && URL.canParse(origin) && new URL(origin).host === headers.get('host')
}
