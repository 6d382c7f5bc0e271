/** Prevents redirects to other sites. */

/**
 * Returns the path of a URL on our own origin, or `/` for other URLs. Compares after parsing, because browsers drop tabs and line breaks
 * and treat `\` as `/`, so a URL that looks like a path can lead to another site.
 *
 * @param value an untrusted URL, absolute or relative
 * @param siteUrl the URL of this site
 */
export function toSameOriginPath(value: string | null | undefined, siteUrl: string): string {
  if (!value || !URL.canParse(value, siteUrl)) return '/'
  const { protocol, host, pathname, search, hash } = new URL(value, siteUrl)
  const site = new URL(siteUrl)
  if (protocol !== site.protocol || host !== site.host) return '/'
  // A path that starts with two slashes would be treated as a host.
  return pathname.replace(/^\/+/, '/') + search + hash
}
