/** Keys: a mistyped one costs no query, a stored one can't be read back, an ended one ends at once. */
import { crc32 as zlibCrc32 } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { createKey, findPrincipal, isWellFormedKey, listKeys, revokeKey, rollKey, touchKey } from './api-keys'
import { crc32 } from './crc32'

beforeAll(openTestDatabase)

describe('the checksum', () => {
  it('is the CRC-32 that everyone means', () => {
    expect(crc32('123456789')).toBe(0xcbf43926)
    expect(crc32('')).toBe(0)
    expect(crc32('desk')).toBe(zlibCrc32?.('desk') ?? crc32('desk'))
  })

  it('tells each slip of one character and each swap of two neighbours', async () => {
    const { key } = await makeKey(await makeSeller())
    expect(key).toMatch(/^desk_[0-9A-Za-z]{36}$/)
    expect(isWellFormedKey(key)).toBe(true)
    for (let at = 5; at < key.length; at += 1) {
      const slip = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)
      expect(isWellFormedKey(slip), slip).toBe(false)
      const swap = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2)
      if (swap !== key) expect(isWellFormedKey(swap), swap).toBe(false)
    }
  })
})

describe('a key', () => {
  it('is stored as its hash alone', async () => {
    const seller = await makeSeller()
    const { key } = await makeKey(seller)
    const [row] = await database().use(({ rows }) =>
      rows<{ text: string }>(sql`select to_json(k)::text as text from api_keys k where seller_id = ${seller}`),
    )
    expect(row?.text).not.toContain(key.slice(5, 20))
    expect(await findPrincipal(key)).toEqual({ keyId: expect.any(String), sellerId: seller, scopes: ['full'] })
  })

  it('ends when it is revoked or expires, and is then like one that never was', async () => {
    const seller = await makeSeller()
    const { id, key } = await makeKey(seller)
    const other = await makeSeller()
    expect(await revokeKey(other, id)).toBe(false)
    expect(await findPrincipal(key)).toBeDefined()
    expect(await revokeKey(seller, id)).toBe(true)
    expect(await revokeKey(seller, id)).toBe(true)
    expect(await findPrincipal(key)).toBeUndefined()
    const past = await createKey({ sellerId: seller, name: 'past', scopes: ['full'], expiresAt: new Date(Date.now() - 1000) })
    expect(await findPrincipal(past.key)).toBeUndefined()
  })

  it('is rolled: both work during the overlap, the old one alone ends', async () => {
    const seller = await makeSeller()
    const { id, key } = await createKey({ sellerId: seller, name: 'Shop', scopes: ['coupons:read', 'secrets:read'] })
    const rolled = await rollKey(seller, id, 60_000)
    expect(await findPrincipal(key)).toBeDefined()
    expect((await findPrincipal(String(rolled?.key)))?.scopes).toEqual(['coupons:read', 'secrets:read'])
    const again = await rollKey(seller, id, 0)
    expect(again).toBeDefined()
    expect(await findPrincipal(key)).toBeUndefined()
    expect(await findPrincipal(String(rolled?.key))).toBeDefined()
    expect((await listKeys(seller)).map(({ name }) => name)).toEqual(['Shop', 'Shop', 'Shop'])
    expect(await rollKey(await makeSeller(), id, 0)).toBeUndefined()
    // It has ended by now: rolling must not bring it back to life.
    expect(await rollKey(seller, id, 60_000)).toBeUndefined()
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
