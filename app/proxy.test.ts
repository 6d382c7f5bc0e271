/** Every path that Next could answer with HTML gets the security headers of `proxy.ts`. */
import { unstable_doesMiddlewareMatch as doesMatch } from 'next/experimental/testing/server'
import { expect, it } from 'vitest'
import { config } from '@/proxy'

it.each([
  '/',
  '/overview',
  '/api/auth/csrf',
  '/apiary',
  '/v1foo',
  '/v1.x',
  '/healthzx',
  '/healthz.x',
  '/readyz-x',
  '/readyz.html',
  '/_next/staticx',
  '/ingest/x',
  '/ingest/foo.x',
  '/ingest/stripe/x',
])('sets the headers of %s', (url) => {
  expect(doesMatch({ config, url })).toBe(true)
})

it.each(['/v1', '/v1/payments', '/api/v1/payments', '/healthz', '/readyz', '/ingest/stripe', '/_next/static/chunks/a.js'])(
  'does not run for %s, which is not a page',
  (url) => {
    expect(doesMatch({ config, url })).toBe(false)
  },
)
