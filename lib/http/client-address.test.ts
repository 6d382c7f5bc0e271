/** The client's address is the connection's, unless the connection comes from a proxy that TRUST_PROXY trusts. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientAddress, parseTrustedProxies, readAddressHeader, setAddressHeader } from './client-address'

const makeRequest = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

describe('clientAddress', () => {
  it.each([
    ['no trusted proxy, ignoring the header', undefined, '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['one trusted hop', '1', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['one trusted hop, ignoring addresses that the client added', '1', '10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['two trusted hops', '2', '10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['two trusted hops, but one address in the header', '2', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a proxy with a trusted address', '127.0.0.1', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a proxy with an untrusted address', '127.0.0.1', '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['a chain of proxies in a trusted network', '127.0.0.1, 10.0.0.0/8', '127.0.0.1', '198.51.100.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['a header that is not an address', '1', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['no header', '1', '10.0.0.1', undefined, '10.0.0.1'],
    ['an IPv6 client, as its /64 network', undefined, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['another address in the same /64 network', undefined, '2001:DB8:1:2::1', undefined, '2001:db8:1:2::/64'],
    ['an IPv6 address that ends in dotted decimal', undefined, '2001:db8::1:2:3:192.0.2.1', undefined, '2001:db8:0:1::/64'],
    ['a proxy in a trusted IPv6 network', '2001:db8::/32', '2001:db8::1', '2001:db9::7', '2001:db9:0:0::/64'],
  ])('returns the client’s address for %s', (_, trust, remote, forwarded, expected) => {
    expect(clientAddress(makeRequest(remote, forwarded), trust === undefined ? undefined : parseTrustedProxies(trust))).toBe(expected)
  })
})

it.each(['yes', '10.0.0.0/33', '10.0.0', '127.0.0.1,', '::1/129', '-1', '100'])('rejects %s as TRUST_PROXY', (text) => {
  expect(parseTrustedProxies(text)).toBeUndefined()
})

it('passes the address in a header that clients cannot forge', () => {
  expect(readAddressHeader({ 'x-desk-address': '203.0.113.9' })).toBe('unknown')
  const headers = { 'x-desk-address': '203.0.113.9' }
  setAddressHeader(headers, '198.51.100.1')
  expect(readAddressHeader(headers)).toBe('198.51.100.1')
  expect(readAddressHeader({ 'x-desk-address': `${'0'.repeat(32)} 203.0.113.9` })).toBe('unknown')
  expect(readAddressHeader({ 'x-desk-address': '203.0.113.9' })).toBe('unknown')
})
