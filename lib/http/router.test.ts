/** No variant of a path under /v1 or /api reaches Next, except next-auth's paths. */
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readRouteTree } from './route-tree'
import { createRouter, UNKNOWN_PATTERN } from './router'

const find = createRouter(await readRouteTree(resolve('app')))

it.each([
  '/api',
  '/api/',
  '/api/v2/payments',
  '/api/anything',
  '/API/v2',
  '/api//v1/coupons',
  '/api/auth',
  '/api/auth/',
  '/api/auth//signin',
  '/api/auth/../v2',
  '/api%2Fv2',
  '/%61pi/auth/session',
  '/V1/coupons',
  '/v1//coupons',
  '/foo/../api/v2',
])('sends %s to the fallback route', (path) => {
  expect(find(path)?.pattern).toBe(UNKNOWN_PATTERN)
})

it.each(['/', '/payments', '/apiary', '/api/auth/session', '/api/auth/callback/credentials', '/v1x'])('leaves %s to Next', (path) => {
  expect(find(path)).toBeUndefined()
})

it.each([
  ['/v1/payments', '/v1/payments'],
  ['/v1/payments/', '/v1/payments'],
  ['/api/v1/payments', '/v1/payments'],
  ['/v1/tickets/validate/a%2Fb', '/v1/tickets/validate/:qrCode'],
  ['/v1/payments/6a51533982', '/v1/payments/:id'],
  ['/v1/orders/6a51533982', UNKNOWN_PATTERN],
  ['/v1/:resource/6a51533982', UNKNOWN_PATTERN],
  ['/readyz', '/readyz'],
])('matches %s to %s', (path, pattern) => {
  expect(find(path)?.pattern).toBe(pattern)
})
