/** Sellers can have a limited number of webhook endpoints, and a notice lists those that fail. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { addEndpoint, listAllEndpoints } from './endpoints'
import { listUnhealthyEndpoints } from './list-deliveries'

process.env.NEXTAUTH_SECRET ??= 'a secret of at least 32 characters'

beforeAll(openTestDatabase)

it('a seller cannot exceed the maximum number of endpoints by creating several at the same time', async () => {
  const seller = await makeSeller()
  const add = (index: number) => addEndpoint(seller, undefined, { url: `https://example.com/${index}`, events: ['*'] })
  for (let index = 0; index < 15; index += 1) await add(index)
  const outcomes = await Promise.allSettled([15, 16, 17].map(add))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await listAllEndpoints(seller)).toHaveLength(16)
})

it('the notice lists endpoints that the server has disabled, or that have been failing for an hour', async () => {
  const seller = await makeSeller()
  const states = [
    ['disabled', sql`enabled = false, disabled_reason = 'gone'`],
    ['failing', sql`failing_since = now() - interval '61 minutes'`],
    ['recent', sql`failing_since = now() - interval '59 minutes'`],
    ['off', sql`enabled = false, failing_since = now() - interval '61 minutes'`],
  ] as const
  for (const [name, state] of states) {
    const { id } = JSON.parse(await addEndpoint(seller, undefined, { url: `https://${name}.example.com`, events: ['*'] })) as { id: string }
    await database().use(({ rows }) => rows(sql`update webhook_endpoints set ${state} where id = ${id}`))
  }
  expect(await listUnhealthyEndpoints(seller)).toEqual([
    { id: expect.any(String), url: 'https://disabled.example.com', isDisabled: true },
    { id: expect.any(String), url: 'https://failing.example.com', isDisabled: false },
  ])
})
