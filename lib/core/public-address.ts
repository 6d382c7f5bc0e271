/** Determines which IP addresses are public, so that webhooks cannot reach the server's own network. */
import ipaddr from 'ipaddr.js'

/** Ranges that ipaddr.js considers public: IPv4-compatible IPv6 addresses (RFC 4291, 2.5.5.1), and the address of Azure's WireServer. */
const NOT_PUBLIC = [ipaddr.parseCIDR('::/96'), ipaddr.parseCIDR('168.63.129.16/32')]

/** Returns whether an IP address is public: not private, loopback, link-local or reserved. @throws {Error} if it is not an IP address */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && !NOT_PUBLIC.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))
}
