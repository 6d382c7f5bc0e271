/** API keys: stored as hashes, revoked, rotated, and their last use recorded. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { createKey, listKeys, revokeKey, rotateKey, touchKey } from './api-keys'
import { verifyKey } from './verify-key'

beforeAll(openTestDatabase)

describe('a key', () => {
  it('is stored as its hash alone', async () => {
    const seller = await makeSeller()
    const { key } = await makeKey(seller)
    const [row] = await database().use(({ rows }) =>
      rows<{ text: string }>(sql`select to_json(k)::text as text from api_keys k where seller_id = ${seller}`),
    )
    expect(row?.text).not.toContain(key.slice(5, 20))
    expect(await verifyKey(key)).toEqual({ keyId: expect.any(String), sellerId: seller, scopes: ['full'] })
  })

  it('ends when it is revoked or expires, and is then like one that never was', async () => {
    const seller = await makeSeller()
    const { id, key } = await makeKey(seller)
    const other = await makeSeller()
    expect(await revokeKey(other, id)).toBe(false)
    expect(await verifyKey(key)).toBeDefined()
    expect(await revokeKey(seller, id)).toBe(true)
    expect(await revokeKey(seller, id)).toBe(true)
    expect(await verifyKey(key)).toBeUndefined()
    const past = await createKey({ sellerId: seller, name: 'past', scopes: ['full'], expiresAt: new Date(Date.now() - 1000) })
    expect(await verifyKey(past.key)).toBeUndefined()
  })

  it('is rolled: both work during the overlap, the old one alone ends', async () => {
    const seller = await makeSeller()
    const { id, key } = await createKey({ sellerId: seller, name: 'Shop', scopes: ['coupons:read', 'secrets:read'] })
    const rolled = await rotateKey(seller, id, 60_000)
    expect(await verifyKey(key)).toBeDefined()
    expect((await verifyKey(String(rolled?.key)))?.scopes).toEqual(['coupons:read', 'secrets:read'])
    const again = await rotateKey(seller, id, 0)
    expect(again).toBeDefined()
    expect(await verifyKey(key)).toBeUndefined()
    expect(await verifyKey(String(rolled?.key))).toBeDefined()
    expect((await listKeys(seller)).map(({ name }) => name)).toEqual(['Shop', 'Shop', 'Shop'])
    expect(await rotateKey(await makeSeller(), id, 0)).toBeUndefined()
    // It has ended by now: rolling must not bring it back to life.
    expect(await rotateKey(seller, id, 60_000)).toBeUndefined()
  })

  it('keeps its expiry when it is rotated', async () => {
    const seller = await makeSeller()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const { id } = await createKey({ sellerId: seller, name: 'Shop', scopes: ['full'], expiresAt })
    await rotateKey(seller, id, 60_000)
    const [next, old] = await listKeys(seller)
    expect(next?.expiresAt).toBe(expiresAt.toISOString())
    expect(Date.parse(String(old?.expiresAt))).toBeLessThan(expiresAt.getTime())
  })

  it('notes its last use once a minute, outside the request', async () => {
    const seller = await makeSeller()
    const { id } = await makeKey(seller)
    const lastUse = async () => (await listKeys(seller))[0]?.lastUsedAt
    expect(await lastUse()).toBeNull()
    const failed = (error: unknown) => {
      throw error
    }
    touchKey(id, failed)
    await expect.poll(lastUse).not.toBeNull()
    const first = await lastUse()
    touchKey(id, failed)
    expect(await lastUse()).toBe(first)
  })
})
