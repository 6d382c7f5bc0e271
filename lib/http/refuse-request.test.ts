/** Requests that must not reach Next are rejected, however their path is written. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { findPageError } from './refuse-request'

const getRefusal = (path: string, hosts = ['desk.example.com']) => {
  const rawHeaders = hosts.flatMap((host) => ['Host', host])
  const headers = { host: hosts[0] }
  return findPageError(Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: path, headers, rawHeaders }))?.code
}

it.each([
  '/_next/static/../../overview',
  '/_next/static/%2e%2E/%2e%2e/overview',
  '/_next/static/.%2e/image',
  '/_next/static/x%2f..%2foverview',
  '/_next/static/..%5coverview',
  '/_next/static/%252e%252e/overview',
  '/_next/static/..\\overview',
  '/./overview',
  '/overview/..',
])('rejects the dot segments in %s', (path) => {
  expect(getRefusal(path)).toBe('route_not_found')
})

it.each(['/_next/image?url=/icon.svg&w=640&q=75', '/_next/image/', '/_next/%69mage?url=x', '/_next/image'])(
  'rejects %s, because no page uses the image optimizer',
  (path) => {
    expect(getRefusal(path)).toBe('route_not_found')
  },
)

it.each(['error', 'error?error=a%0d%0aX:%20y', 'verify-request'])('rejects /api/auth/%s, which sign-in does not use', (name) => {
  expect(getRefusal(`/api/auth/${name}`)).toBe('route_not_found')
})

it.each([
  '/',
  '/overview',
  '/icon.svg',
  '/_next/static/chunks/a..b~c.js',
  '/_next/static/.well',
  '/customers/a.b@example.com',
  '/api/auth/csrf',
])('accepts %s', (path) => {
  expect(getRefusal(path)).toBeUndefined()
})

it('rejects a repeated Host header, and accepts one or none', () => {
  expect(getRefusal('/overview', ['desk.example.com', 'evil.example'])).toBe('path_invalid')
  expect(getRefusal('/overview', ['desk.example.com', 'desk.example.com'])).toBe('path_invalid')
  expect(getRefusal('/overview', ['desk.example.com'])).toBeUndefined()
  expect(getRefusal('/overview', [])).toBeUndefined()
})

it('rejects a Host header that is longer than a domain name with a port', () => {
  expect(getRefusal('/docs', [`${'a'.repeat(253)}:65535`])).toBeUndefined()
  expect(getRefusal('/docs', [`${'a'.repeat(254)}:65535`])).toBe('path_invalid')
})
