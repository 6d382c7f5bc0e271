/** The maximum number of webhook endpoints. */
import { beforeAll, expect, it } from 'vitest'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { addEndpoint, listEndpoints } from './endpoints'

process.env.NEXTAUTH_SECRET ??= 'a secret of at least 32 characters'

beforeAll(openTestDatabase)

it('endpoints that are created at the same time do not exceed the maximum', async () => {
  const seller = await makeSeller()
  const add = (at: number) => addEndpoint(seller, undefined, { url: `https://example.com/${at}`, events: ['*'] })
  for (let at = 0; at < 15; at += 1) await add(at)
  const outcomes = await Promise.allSettled([15, 16, 17].map(add))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await listEndpoints(seller, { limit: 1 })).total).toBe(16)
})
