/** Determines the client's address, and passes it to the pages in a header that clients cannot forge. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The proxies whose X-Forwarded-For is trusted: a number of hops, counted from the server, or the proxies with the listed addresses. */
export type TrustedProxies = { hops: number } | { addresses: BlockList }

/** Returns the IPv4 address of an IPv4-mapped IPv6 address, and other addresses unchanged. */
const unmapIPv4 = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')
const getFamily = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * Parses TRUST_PROXY: a number of hops, or addresses and networks such as `127.0.0.1, 10.0.0.0/8`.
 *
 * @returns the trusted proxies, or undefined if the text is invalid
 */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d{1,2}$/.test(text)) return { hops: Number(text) }
  const addresses = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', bits] = entry.split('/', 2)
    if (isIP(address) === 0) return undefined
    if (bits === undefined) addresses.addAddress(address, getFamily(address))
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32))
      addresses.addSubnet(address, Number(bits), getFamily(address))
    else return undefined
  }
  return { addresses }
}

/**
 * Follows X-Forwarded-For from the server toward the client. Returns the first address that is not a trusted proxy's, or the last valid
 * address if all of them are.
 *
 * @param remote the address of the connection
 * @param forwarded the value of X-Forwarded-For
 */
function findAddress(remote: string, forwarded: string, proxies: TrustedProxies | undefined): string {
  let address = unmapIPv4(remote)
  const addresses = forwarded.split(',').map((part) => unmapIPv4(part.trim()))
  for (let hop = 0; proxies !== undefined; hop++) {
    const isTrusted = 'hops' in proxies ? hop < proxies.hops : isIP(address) !== 0 && proxies.addresses.check(address, getFamily(address))
    const next = addresses.pop() ?? ''
    if (!isTrusted || isIP(next) === 0) break
    address = next
  }
  return address
}

/** Returns the key for per-client limits: the address or, for IPv6, its /64 network, because a client usually controls all of it. */
function toRateLimitKey(address: string): string {
  if (!isIPv6(address)) return address
  const { parts } = ipaddr.IPv6.parse(address.replace(/%.*/, ''))
  const network = parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/** Returns the client's IPv4 address or its /64 IPv6 network. Uses X-Forwarded-For only if a trusted proxy sent it. */
export const clientAddress = ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, proxies?: TrustedProxies): string =>
  toRateLimitKey(findAddress(socket.remoteAddress ?? 'unknown', String(headers['x-forwarded-for'] ?? ''), proxies))

/** The header that contains the secret and the client's address. */
const HEADER = 'x-desk-address'

/** The secret that authenticates the header. On `globalThis`, because Next's bundle has its own copy of this module. */
const holder = globalThis as typeof globalThis & { checkoutDeskAddressSecret?: Buffer }

/** Returns the secret, for the process that renders pages. Creates the secret if there is none. */
export function addressSecret(): string {
  holder.checkoutDeskAddressSecret ??= randomBytes(16)
  return holder.checkoutDeskAddressSecret.toString('hex')
}

/** Sets the secret to that of the server, so that the process that renders pages accepts the header from the server. */
export function setAddressSecret(secret: string): void {
  holder.checkoutDeskAddressSecret = Buffer.from(secret, 'hex')
}

/** Sets the header that passes the address to the pages. Replaces the header if the client sent one. */
export function setAddressHeader(headers: IncomingHttpHeaders, address: string): void {
  headers[HEADER] = `${addressSecret()} ${address}`
}

/** Returns the address that `server.ts` set; 'unknown' if the header is forged, or missing, as under Next's own server. */
export function readAddressHeader(headers: Record<string, unknown> | undefined): string {
  const [secret = '', address = ''] = String(headers?.[HEADER] ?? '').split(' ', 2)
  const expected = holder.checkoutDeskAddressSecret
  const received = Buffer.from(secret, 'hex')
  return expected !== undefined && received.length === expected.length && timingSafeEqual(received, expected) ? address : 'unknown'
}
