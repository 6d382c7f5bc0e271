/** Tests that `proxy.ts` sets the security headers wherever Next could return HTML, and reads the page's user from forms. */
import { unstable_doesMiddlewareMatch as doesMatch } from 'next/experimental/testing/server'
import { NextRequest } from 'next/server'
import { expect, it } from 'vitest'
import { config, proxy } from '@/proxy'
import { PAGE_USER } from './page-user'

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
])('sets the security headers for %s', (url) => {
  expect(doesMatch({ config, url })).toBe(true)
})

it.each(['/v1', '/v1/payments', '/api/v1/payments', '/healthz', '/readyz', '/ingest/stripe', '/_next/static/chunks/a.js'])(
  'does not run for %s, which is not a page',
  (url) => {
    expect(doesMatch({ config, url })).toBe(false)
  },
)

it.each([
  ['/door', true],
  ['/door/', true],
  // The page that sets up a device loads the check-in page as a new document.
  ['/door/enroll', false],
  ['/overview', false],
])('allows the camera on %s: %s', (path, isAllowed) => {
  const policy = proxy(new NextRequest(`http://localhost${path}`)).headers.get('Permissions-Policy')
  expect(policy).toContain(isAllowed ? 'camera=(self)' : 'camera=()')
})

it.each([
  ['a form without JavaScript', 'POST', {}, 'ada'],
  ['a server action', 'POST', { 'next-action': 'abc' }, null],
  ['a page', 'GET', {}, null],
])('copies the page’s user from the URL to the header only for a form without JavaScript: %s', (_, method, headers, user) => {
  const request = new NextRequest(`http://localhost/settings/seller?${PAGE_USER}=ada`, { method, headers })
  expect(proxy(request).headers.get(`x-middleware-request-${PAGE_USER}`)).toBe(user)
})
