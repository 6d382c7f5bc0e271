/** Tests that sign-in never redirects to another site, whatever the callback URL. */
import { expect, it } from 'vitest'
import { toSameOriginPath } from './same-origin-path'

const SITE = 'https://desk.example.com'

it.each([
  ['/payments?status=paid#last', '/payments?status=paid#last'],
  ['/door', '/door'],
  ['payments', '/payments'],
  ['?days=90', '/?days=90'],
  ['https://desk.example.com/coupons', '/coupons'],
  ['HTTPS://DESK.EXAMPLE.COM:443/coupons', '/coupons'],
  ['//desk.example.com/coupons', '/coupons'],
  ['/a/../payments', '/payments'],
])('returns the path of %j on this site', (value, path) => {
  expect(toSameOriginPath(value, SITE)).toBe(path)
})

it.each([
  null,
  undefined,
  '',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t\\evil.example',
  'http://desk.example.com/',
  'https:\\\\evil.example',
  'https://desk.example.com@evil.example/',
  'https://desk.example.com.evil.example/',
  'https://desk.example.com:8443/',
  'https://[::1',
  'javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'blob:https://desk.example.com/x',
  'file:///etc/passwd',
])('replaces %j with the front page', (value) => {
  expect(toSameOriginPath(value, SITE)).toBe('/')
})

it.each([
  'https:evil.example',
  '/.//evil.example',
  './/evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  'https://desk.example.com//evil.example',
])('never returns a path that a browser parses as a host: %j', (value) => {
  expect(toSameOriginPath(value, SITE)).toBe('/evil.example')
})
