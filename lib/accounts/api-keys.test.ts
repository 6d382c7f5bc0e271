/** API keys are stored as hashes, can be revoked and rotated, and show when they were last used. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { createKey, listKeys, revokeKey, rotateKey } from './api-keys'
import { touchKey, verifyKey } from './verify-key'

beforeAll(openTestDatabase)

describe('an API key', () => {
  it('is stored only as a hash', async () => {
    const seller = await makeSeller()
    const { key } = await makeKey(seller)
    const [row] = await database().use(({ rows }) =>
      rows<{ text: string }>(sql`select to_json(k)::text as text from api_keys k where seller_id = ${seller}`),
    )
    expect(row?.text).not.toContain(key.slice(5, 20))
    expect(await verifyKey(key)).toEqual({ pausedUntil: null, keyId: expect.any(String), sellerId: seller, scopes: ['full'] })
  })

  it('is no longer accepted once it is revoked or has expired', async () => {
    const seller = await makeSeller()
    const { id, key } = await makeKey(seller)
    const other = await makeSeller()
    expect(await revokeKey(other, id)).toBe(false)
    expect(await verifyKey(key)).toBeDefined()
    expect(await revokeKey(seller, id)).toBe(true)
    expect(await revokeKey(seller, id)).toBe(true)
    expect(await rotateKey(seller, id, 60_000)).toBeUndefined()
    expect(await verifyKey(key)).toBeUndefined()
    const past = await createKey({ sellerId: seller, name: 'past', scopes: ['full'], expiresAt: new Date(Date.now() - 1000) })
    expect(await verifyKey(past.key)).toBeUndefined()
  })

  it('works alongside its replacement until the overlap ends', async () => {
    const seller = await makeSeller()
    const { id, key } = await createKey({ sellerId: seller, name: 'Shop', scopes: ['coupons:read', 'secrets:read'] })
    const rotated = await rotateKey(seller, id, 60_000)
    expect(await verifyKey(key)).toBeDefined()
    expect((await verifyKey(String(rotated?.key)))?.scopes).toEqual(['coupons:read', 'secrets:read'])
    const again = await rotateKey(seller, id, 0)
    expect(again).toBeDefined()
    expect(await verifyKey(key)).toBeUndefined()
    expect(await verifyKey(String(rotated?.key))).toBeDefined()
    expect((await listKeys(seller)).map(({ name }) => name)).toEqual(['Shop', 'Shop', 'Shop'])
    expect(await rotateKey(await makeSeller(), id, 0)).toBeUndefined()
    // The key has expired, so it can no longer be rotated.
    expect(await rotateKey(seller, id, 60_000)).toBeUndefined()
  })

  it('passes its expiry on to its replacement when it is rotated', async () => {
    const seller = await makeSeller()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const { id } = await createKey({ sellerId: seller, name: 'Shop', scopes: ['full'], expiresAt })
    await rotateKey(seller, id, 60_000)
    const [next, old] = await listKeys(seller)
    expect(next?.expiresAt).toBe(expiresAt.toISOString())
    expect(Date.parse(String(old?.expiresAt))).toBeLessThan(expiresAt.getTime())
  })

  it.each([
    ['with an expiry', new Date(Date.now() + 3_600_000)],
    ['without an expiry', undefined],
  ])('passes on its original expiry, not the end of the overlap, when it is rotated again: %s', async (_, expiresAt) => {
    const seller = await makeSeller()
    const { id } = await createKey({ sellerId: seller, name: 'Shop', scopes: ['full'], expiresAt })
    const first = await rotateKey(seller, id, 60_000)
    const second = await rotateKey(seller, id, 600_000)
    const third = await rotateKey(seller, id, 30_000)
    // The overlap is not extended by a later rotation.
    expect(second?.oldExpiresAt).toBe(first?.oldExpiresAt)
    expect(Date.parse(String(third?.oldExpiresAt))).toBeLessThan(Date.parse(String(first?.oldExpiresAt)))
    const keys = new Map((await listKeys(seller)).map((key) => [key.id, key.expiresAt]))
    const expected = expiresAt?.toISOString() ?? null
    expect([first, second, third].map((rotated) => keys.get(String(rotated?.id)))).toEqual([expected, expected, expected])
    expect(keys.get(id)).toBe(third?.oldExpiresAt)
  })

  it('passes its pause on to its replacement when it is rotated', async () => {
    const seller = await makeSeller()
    const { id } = await makeKey(seller)
    await database().use(({ rows }) => rows(sql`update api_keys set paused_until = now() + interval '1 hour' where id = ${id}`))
    const rotated = await rotateKey(seller, id, 60_000)
    const [next, old] = await listKeys(seller)
    expect(next?.pausedUntil).toEqual(expect.any(String))
    expect(next?.pausedUntil).toBe(old?.pausedUntil)
    expect((await verifyKey(String(rotated?.key)))?.pausedUntil).toBe(next?.pausedUntil)
  })

  it('has its last use recorded at most once a minute, in the background', async () => {
    const seller = await makeSeller()
    const { id } = await makeKey(seller)
    const lastUse = async () => (await listKeys(seller))[0]?.lastUsedAt
    expect(await lastUse()).toBeNull()
    const rethrow = (error: unknown) => {
      throw error
    }
    touchKey(id, rethrow)
    await expect.poll(lastUse).not.toBeNull()
    const first = await lastUse()
    touchKey(id, rethrow)
    expect(await lastUse()).toBe(first)
  })
})
