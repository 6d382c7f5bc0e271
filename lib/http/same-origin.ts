/** Protects against cross-site request forgery: determines whether a page of this server sent a request. */

type ReadableHeaders = { get(name: string): string | null | undefined }

const parseHost = (url: string) => (URL.canParse(url) ? new URL(url).host : undefined)

/**
 * Returns whether a page of this server sent a request, according to `Sec-Fetch-Site` or, if that is absent, `Origin`. A page of another
 * site can forge neither header.
 *
 * @returns undefined if the headers are inconclusive, because the request is not from a browser or the user typed the address
 */
export function isSameOrigin(headers: ReadableHeaders): boolean | undefined {
  const origin = headers.get('origin')
  // Next fails on an origin that is not a URL.
  if (origin && origin !== 'null' && !URL.canParse(origin)) return false
  const site = headers.get('sec-fetch-site')
  if (site && site !== 'none') return site === 'same-origin'
  return origin ? parseHost(origin) === (headers.get('x-forwarded-host') ?? headers.get('host')) : undefined
}
