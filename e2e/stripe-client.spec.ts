/** Tests that Stripe's Node.js client, with only its host changed, pages through customers and coupons and filters them by time. */
import Stripe from 'stripe'
import { type Line, minimal } from '@/testing/seller'
import { expect, test } from './support/api'

const DAY = 86_400

for (const name of ['customers', 'coupons'] as const) {
  test(`Stripe’s client pages through ${name} in both directions and filters them by time`, async ({ api }) => {
    const start = Date.UTC(2026, 4, 1) / 1000
    const lines: Line[] = Array.from({ length: 25 }, (_, i) =>
      minimal(name, { createdAt: new Date((start + i * DAY) * 1000).toISOString() }),
    )
    await api.load(name, lines)
    const newestFirst = lines.map(({ id }) => String(id)).reverse()
    const { hostname: host, port } = new URL(api.url)
    const client = new Stripe(api.key, { host, port: Number(port), protocol: 'http', maxNetworkRetries: 0, telemetry: false })
    const list = async (given: Stripe.CustomerListParams) => {
      const ids: string[] = []
      for await (const { id } of name === 'customers' ? client.customers.list(given) : client.coupons.list(given)) ids.push(id)
      return ids
    }
    expect(await list({ limit: 7 })).toEqual(newestFirst)
    expect(await list({ limit: 7, starting_after: String(newestFirst[3]) })).toEqual(newestFirst.slice(4))
    // When paging backward, the client returns the records next to the cursor first.
    expect(await list({ limit: 7, ending_before: String(newestFirst.at(-1)) })).toEqual(newestFirst.slice(0, -1).reverse())
    expect(await list({ limit: 4, created: { gte: start + 5 * DAY, lt: start + 15 * DAY } })).toEqual(newestFirst.slice(10, 20))
    await expect(list({ limit: 0 })).rejects.toMatchObject({ statusCode: 400 })
  })
}
