/** Keeps redirects on this site. */

/**
 * Returns the path of a URL on our own origin, otherwise `/`. Compares after parsing, because a browser drops tabs and line breaks and
 * reads `\` as `/`: what looks like a path may lead to another site.
 *
 * @param value an absolute or relative URL that a visitor may have made up
 * @param own our own address
 */
export function insidePath(value: string | null | undefined, own: string): string {
  if (!value || !URL.canParse(value, own)) return '/'
  const { protocol, host, pathname, search, hash } = new URL(value, own)
  const ours = new URL(own)
  if (protocol !== ours.protocol || host !== ours.host) return '/'
  // A path that begins with two slashes would be read as a host.
  return pathname.replace(/^\/+/, '/') + search + hash
}
