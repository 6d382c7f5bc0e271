/** Tests that Stripe's Node.js client, configured with this server's address, pages through lists, filters by time, and throws errors. */
import Stripe from 'stripe'
import { type Line, minimal } from '@/testing/seller'
import { type Api, expect, test } from './support/api'

const createClient = ({ url, key }: Api) => {
  const { hostname, port } = new URL(url)
  return new Stripe(key, { host: hostname, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 })
}

/** Returns the IDs of all records of a list, in the order in which the client returns them. */
async function collectIds<T extends { id: string }>(list: AsyncIterable<T>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of list) ids.push(id)
  return ids
}

for (const resource of ['coupons', 'subscriptions', 'customers'] as const) {
  test(`Stripe’s client pages through ${resource} in both directions and filters them by time`, async ({ api }) => {
    const start = Date.UTC(2026, 1, 1) / 1000
    const lines: Line[] = Array.from({ length: 25 }, (_, i) =>
      minimal(resource, { createdAt: new Date((start + Math.floor(i / 4)) * 1000).toISOString() }),
    )
    await api.load(resource, lines)
    const order = lines.sort((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1)).map(({ id }) => String(id))
    const stripe = createClient(api)
    const list = (params: Stripe.CustomerListParams) => collectIds<{ id: string }>(stripe[resource].list(params))
    expect(await list({ limit: 4 })).toEqual(order)
    const last = String(order.at(-1))
    // When paging backward, the client returns the records of each page in reverse order.
    expect(await list({ limit: 4, ending_before: last })).toEqual(order.slice(0, -1).reverse())
    expect(await list({ limit: 7, starting_after: String(order[3]) })).toEqual(order.slice(4))
    const page = await stripe[resource].list({ limit: 3, starting_after: String(order[3]) })
    expect(page.data.map(({ id }) => id)).toEqual(order.slice(4, 7))
    expect(page.has_more).toBe(true)
    // The newest record is alone in its second, and each second before it has four records.
    expect(await list({ limit: 3, created: { gte: start + 4, lt: start + 6 } })).toEqual(order.slice(1, 9))
  })
}

test('Stripe’s client throws an error with the status of the response', async ({ api }) => {
  const unauthorized = createClient({ ...api, key: `${api.key.slice(0, -1)}0` }).coupons.list()
  await expect(unauthorized).rejects.toMatchObject({ statusCode: 401 })
  await expect(createClient(api).coupons.list({ starting_after: 'f'.repeat(24) })).rejects.toMatchObject({ statusCode: 400 })
  await expect(createClient(api).customers.list({ limit: 0 })).rejects.toMatchObject({ statusCode: 400 })
})
