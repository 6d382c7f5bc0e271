/** The sample shop is complete and deterministic. */
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resources } from '@/lib/catalog'
import { ticketRecord } from '@/lib/catalog/ticket'
import type { ImportName } from '@/lib/sync/import/import'
import { importLines, makeSeller, openTestDatabase } from '@/testing/seller'
import { makeSample } from './records'

beforeAll(openTestDatabase)

type Json = { properties?: Record<string, Json>; items?: Json }

/** Returns the path of every member in a schema, such as `billing.address.city`. */
function paths(schema: Json, at = ''): string[] {
  const inner = schema.items ?? schema
  return Object.entries(inner.properties ?? {}).flatMap(([name, member]) => [`${at}${name}`, ...paths(member, `${at}${name}.`)])
}

function collectPaths(value: unknown, into: Set<string>, at = ''): void {
  if (Array.isArray(value)) for (const item of value) collectPaths(item, into, at)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      into.add(`${at}${name}`)
      collectPaths(member, into, `${at}${name}.`)
    }
  }
}

describe('the sample shop', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const sample = new Map(makeSample(now))

  it('is the same on every run', { tags: 'slow' }, () => {
    expect(JSON.stringify(makeSample(now))).toBe(JSON.stringify([...sample]))
  })

  it('has the documented size', () => {
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
    'sets every member of its %s',
    (name, schema) => {
      const seen = new Set(['sellerId'])
      for (const line of sample.get(name as 'payments') ?? []) collectPaths(line, seen)
      expect(paths(z.toJSONSchema(schema, { io: 'output' }) as Json).filter((path) => !seen.has(path))).toEqual([])
    },
  )

  it('converts every order’s amount to US dollars at the rate of its currency', () => {
    const currencies = new Set<unknown>()
    const wrong: unknown[] = []
    for (const name of ['payments', 'bookings', 'subscriptions'] as const) {
      for (const { currency, amount, amountUsd } of sample.get(name) ?? []) {
        currencies.add(currency)
        // ¥100 is about 67 US cents, because the yen has no smaller unit.
        const rate = currency === 'usd' ? 1 : currency === 'jpy' ? 0.67 : 1.08
        if (amountUsd !== Math.round(Number(amount) * rate)) wrong.push([currency, amount, amountUsd])
      }
    }
    expect(wrong).toEqual([])
    expect([...currencies].sort()).toEqual(['eur', 'jpy', 'usd'])
  })

  it('has plausible orders, coupons and subscriptions', () => {
    const list = (name: ImportName) => sample.get(name) ?? []
    const age = (at: unknown, until: unknown = now.toISOString()) => Date.parse(String(until)) - Date.parse(String(at))
    const orders = [...list('payments'), ...list('bookings')]
    const uses = new Map<unknown, number>()
    for (const { id, status, createdAt, updatedAt, pageId, coupon, paymentError, paymentMethod } of orders) {
      const { method } = paymentMethod as { method: string }
      if (paymentError) expect(String(paymentError).includes('card'), String(id)).toBe(method === 'card')
      if (status === 'refunded' || status === 'canceled') expect(age(createdAt)).toBeGreaterThan(86_400_000)
      if (status === 'failed') expect(age(createdAt, updatedAt)).toBeLessThan(60_000)
      if (status === 'pending' || status === 'unpaid') expect(age(createdAt)).toBeLessThan(15 * 86_400_000)
      if (!coupon) continue
      const couponId = (coupon as { id: string }).id
      if (status === 'paid') uses.set(couponId, (uses.get(couponId) ?? 0) + 1)
      const offer = list('coupons').find((one) => one.id === couponId)
      expect([[], [pageId]]).toContainEqual(offer?.pageIds)
      expect(age(offer?.createdAt, createdAt)).toBeGreaterThanOrEqual(0)
    }
    for (const { id, timesRedeemed } of list('coupons')) expect(timesRedeemed).toBeGreaterThanOrEqual(uses.get(id) ?? 0)
    for (const { status, trialEnd, canceledAt, currentPeriodEnd } of list('subscriptions')) {
      if (status === 'trialing') expect(age(trialEnd)).toBeLessThan(0)
      if (status === 'canceled') expect(age(canceledAt, currentPeriodEnd)).toBeGreaterThan(0)
    }
  })

  it('imports without rejected lines, and contains no future dates', { tags: 'slow' }, async () => {
    const seller = await makeSeller()
    for (const [name, lines] of sample) {
      // Importing all lines would take seconds. e2e/process.spec.ts imports them all.
      const some = lines.filter((_, at) => at % 4 === 0)
      expect(await importLines(name, seller, some)).toMatchObject({ written: some.length, rejects: [] })
      const times = lines.flatMap(({ createdAt, updatedAt, canceledAt }) => [createdAt, updatedAt, canceledAt].filter(Boolean))
      expect(times.filter((at) => !(Date.parse(String(at)) <= now.getTime()))).toEqual([])
    }
  })
})
