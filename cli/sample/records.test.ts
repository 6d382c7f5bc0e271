/** Tests that the sample shop is complete, plausible and reproducible. */
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resources } from '@/lib/catalog'
import { ticketRecord } from '@/lib/catalog/ticket'
import type { ImportName } from '@/lib/sync/import/import'
import { importLines, makeSeller, openTestDatabase } from '@/testing/seller'
import { makeSample } from './records'

beforeAll(openTestDatabase)

type JsonSchema = { properties?: Record<string, JsonSchema>; items?: JsonSchema }

/** Returns the path of every property in a JSON schema, such as `billing.address.city`, without the indexes of arrays. */
function listPaths(schema: JsonSchema, prefix = ''): string[] {
  const inner = schema.items ?? schema
  return Object.entries(inner.properties ?? {}).flatMap(([name, member]) => [`${prefix}${name}`, ...listPaths(member, `${prefix}${name}.`)])
}

/** Adds the path of every property of a value to `into`. */
function collectPaths(value: unknown, into: Set<string>, prefix = ''): void {
  if (Array.isArray(value)) for (const item of value) collectPaths(item, into, prefix)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      into.add(`${prefix}${name}`)
      collectPaths(member, into, `${prefix}${name}.`)
    }
  }
}

describe('the sample shop', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const sample = new Map(makeSample(now))

  it('is always the same for a given time', { tags: 'slow' }, () => {
    expect(JSON.stringify(makeSample(now))).toBe(JSON.stringify([...sample]))
  })

  it('has the expected number of records', () => {
    const sizes = Object.fromEntries([...sample].map(([name, lines]) => [name, lines.length]))
    expect(sizes).toEqual({
      pages: 8,
      products: 4,
      customers: 420,
      coupons: 60,
      payments: 2000,
      bookings: 800,
      subscriptions: 400,
      tickets: 1500,
    })
  })

  it.each([...Object.entries(resources).map(([name, { record }]) => [name, record] as const), ['tickets', ticketRecord] as const])(
    'sets every field of %s at least once',
    (name, schema) => {
      const seen = new Set(['sellerId'])
      for (const line of sample.get(name as 'payments') ?? []) collectPaths(line, seen)
      expect(listPaths(z.toJSONSchema(schema, { io: 'output' }) as JsonSchema).filter((path) => !seen.has(path))).toEqual([])
    },
  )

  it('converts every amount to US cents at the exchange rate of its currency', () => {
    const currencies = new Set<unknown>()
    const mismatches: unknown[] = []
    for (const name of ['payments', 'bookings', 'subscriptions'] as const) {
      for (const { currency, amount, amountUsd } of sample.get(name) ?? []) {
        currencies.add(currency)
        // The yen has no minor unit, so an amount of 100 is ¥100, which is about 67 US cents.
        const rate = currency === 'usd' ? 1 : currency === 'jpy' ? 0.67 : 1.08
        if (amountUsd !== Math.round(Number(amount) * rate)) mismatches.push([currency, amount, amountUsd])
      }
    }
    expect(mismatches).toEqual([])
    expect([...currencies].sort()).toEqual(['eur', 'jpy', 'usd'])
  })

  it('has plausible orders, coupons and subscriptions', () => {
    const list = (name: ImportName) => sample.get(name) ?? []
    const age = (at: unknown, until: unknown = now.toISOString()) => Date.parse(String(until)) - Date.parse(String(at))
    const orders = [...list('payments'), ...list('bookings')]
    const uses = new Map<unknown, number>()
    for (const { id, status, createdAt, updatedAt, pageId, currency, coupon, paymentError, paymentMethod } of orders) {
      const { method } = paymentMethod as { method: string }
      if (paymentError) expect(String(paymentError).includes('card'), String(id)).toBe(method === 'card')
      if (status === 'refunded' || status === 'canceled') expect(age(createdAt)).toBeGreaterThan(86_400_000)
      if (status === 'failed') expect(age(createdAt, updatedAt)).toBeLessThan(60_000)
      if (status === 'pending' || status === 'unpaid') expect(age(createdAt)).toBeLessThan(15 * 86_400_000)
      if (!coupon) continue
      const couponId = (coupon as { id: string }).id
      if (status === 'paid') uses.set(couponId, (uses.get(couponId) ?? 0) + 1)
      const usedCoupon = list('coupons').find((one) => one.id === couponId)
      expect([[], [pageId]]).toContainEqual(usedCoupon?.pageIds)
      expect([undefined, currency]).toContain(usedCoupon?.currency)
      expect(age(usedCoupon?.createdAt, createdAt)).toBeGreaterThanOrEqual(0)
    }
    for (const { id, timesRedeemed } of list('coupons')) expect(timesRedeemed).toBeGreaterThanOrEqual(uses.get(id) ?? 0)
    for (const subscription of list('subscriptions')) {
      const { status, trialEnd, canceledAt, currentPeriodEnd, setupFee, setupFeeTotal, setupFeeDiscountAmount, setupFeeFees } = subscription
      const fees = (setupFeeFees ?? []) as { amount: number }[]
      if (setupFee)
        expect(setupFeeTotal).toBe(fees.reduce((sum, { amount }) => sum + amount, Number(setupFee) - Number(setupFeeDiscountAmount)))
      if (status === 'trialing') expect(age(trialEnd)).toBeLessThan(0)
      if (status === 'canceled') expect(age(canceledAt, currentPeriodEnd)).toBeGreaterThan(0)
    }
  })

  it('is accepted by the importer, and has no creation, update or cancellation time in the future', { tags: 'slow' }, async () => {
    const seller = await makeSeller()
    for (const [name, lines] of sample) {
      // Importing all lines would take seconds. e2e/process.spec.ts imports them all.
      const sampled = lines.filter((_, index) => index % 4 === 0)
      expect(await importLines(name, seller, sampled)).toMatchObject({ written: sampled.length, rejects: [] })
      const times = lines.flatMap(({ createdAt, updatedAt, canceledAt }) => [createdAt, updatedAt, canceledAt].filter(Boolean))
      expect(times.filter((at) => !(Date.parse(String(at)) <= now.getTime()))).toEqual([])
    }
  })
})
