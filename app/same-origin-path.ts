/** Prevents redirects to other sites. */

/**
 * Returns the path of a URL on our own origin, or `/` for other URLs. Compares after parsing, because browsers drop tabs and line breaks
 * and treat `\` as `/`, so a URL that looks like a path can lead to another site.
 *
 * @param value an untrusted URL, absolute or relative
 * @param own the URL of this site
 */
export function toSameOriginPath(value: string | null | undefined, own: string): string {
  if (!value || !URL.canParse(value, own)) return '/'
  const { protocol, host, pathname, search, hash } = new URL(value, own)
  const ours = new URL(own)
  if (protocol !== ours.protocol || host !== ours.host) return '/'
  // A path that starts with two slashes would be treated as a host.
  return pathname.replace(/^\/+/, '/') + search + hash
}
