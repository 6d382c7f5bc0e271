/**
 * An address with too many unknown keys is limited, but a valid key from that address still works. Requests that a valid key may not make
 * count toward its limit.
 */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it, vi } from 'vitest'
import { database } from '@/db/client'
import { reportedLoads } from '@/db/semaphore'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { countStatements } from '@/testing/statements'
import { evictPrincipal, generateKey } from '../accounts/verify-key'
import { resources } from '../catalog'
import { fromRequest, toResponse } from './exchange'
import { listRoute } from './list-route'

const LIMIT = 3
vi.stubEnv('RATE_LIMIT_PER_MINUTE', String(LIMIT))

beforeAll(openTestDatabase)

const { handle } = listRoute(resources.coupons).GET

const makeReply = (key: string | undefined, address?: string) => {
  const headers = new Headers(key === undefined ? [] : [['Authorization', `Bearer ${key}`]])
  const request = fromRequest(new Request('http://x/v1/coupons', { headers }))
  return handle({ ...request, ...(address === undefined ? {} : { address }) }, {})
}
const sendRequest = async (key: string | undefined, address?: string) => toResponse(await makeReply(key, address))

it('rejects unknown and malformed keys with 429 after 300 unknown keys from one address within a minute', async () => {
  const { key } = await makeKey(await makeSeller())
  for (let i = 0; i < 300; i += 1) expect((await sendRequest(i % 50 === 0 ? generateKey() : 'desk_x', '203.0.113.1')).status).toBe(401)
  const statements = await countStatements(async () => {
    const replies = [generateKey(), 'desk_x'].map((forged) => sendRequest(forged, '203.0.113.1'))
    for (const refused of await Promise.all(replies)) {
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
      expect(await refused.json()).toMatchObject({ code: 'rate_limited', param: 'Authorization' })
    }
  })
  expect(statements).toBe(0)
  expect(reportedLoads().get('failed_keys')).toEqual({ active: 0, waiting: 0, refused: 2 })
  // A valid key still works, even one that has not been used before. Another address has a separate limit.
  expect((await sendRequest(key, '203.0.113.1')).status).toBe(200)
  expect((await sendRequest('desk_x', '203.0.113.2')).status).toBe(401)
  // Next's own server passes no address, so there is no limit.
  expect((await sendRequest('desk_x')).status).toBe(401)
})

it('also limits requests without a key, but not requests with a valid key from the same address', async () => {
  const { key } = await makeKey(await makeSeller())
  for (let i = 0; i < 300; i += 1) expect((await sendRequest(undefined, '203.0.113.3')).status).toBe(401)
  expect((await sendRequest(undefined, '203.0.113.3')).status).toBe(429)
  expect((await sendRequest(key, '203.0.113.3')).status).toBe(200)
})

it('does not look up a key with a wrong checksum', async () => {
  const key = generateKey()
  const wrongKey = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  expect(await countStatements(async () => expect((await sendRequest(wrongKey)).status).toBe(401))).toBe(0)
})

it.each([
  ['that lacks the scope', 'payments:read', false, 'scope_missing'],
  ['that is paused', 'full', true, 'key_paused'],
] as const)(
  'counts requests with a key %s toward its rate limit, and delays the responses to those above it',
  async (_, scope, isPaused, code) => {
    const { id, key } = await makeKey(await makeSeller(), scope)
    if (isPaused) {
      await database().query(sql`update api_keys set paused_until = now() + interval '1 hour' where id = ${id}`)
      evictPrincipal(id)
    }
    const replies = []
    for (let i = 0; i < LIMIT + 2; i += 1) {
      const reply = await makeReply(key)
      const { code: replied } = JSON.parse(String(reply.body)) as { code: string }
      replies.push([reply.status, replied, reply.headers['RateLimit-Remaining'], reply.refusal])
    }
    expect(replies).toEqual([
      [403, code, '2', undefined],
      [403, code, '1', undefined],
      [403, code, '0', undefined],
      [403, code, undefined, 'api'],
      [403, code, undefined, 'api'],
    ])
  },
)
