/** Although verified keys are cached, revocations and new scopes take effect within a second, and expiry immediately. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Database, database } from '@/db/client'
import { openPools, warmUpPools } from '@/db/pools'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { newObjectId } from '../core/object-id'
import { createKey, revokeKey, rotateKey } from './api-keys'
import { generateKey, hashKey, KEY_CHANGES, loadKnownKeys, verifyKey } from './verify-key'

beforeAll(openTestDatabase)
afterEach(() => {
  vi.restoreAllMocks()
})

/** Moves the cache's clock forward. */
function advanceClock(ms: number): void {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

/** Wraps the process's pool to count queries. */
function makeCountingPool(): { pool: Database; queries: () => number } {
  const pool = database()
  let queries = 0
  const use: Database['use'] = (work) => {
    queries += 1
    return pool.use(work)
  }
  return { pool: { ...pool, use }, queries: () => queries }
}

/** Revokes a key as another server would, without notifying this process. */
const revokeElsewhere = (id: string) => database().use(({ rows }) => rows(sql`update api_keys set revoked_at = now() where id = ${id}`))

it('looks up a key once for parallel requests and requests within the same second', async () => {
  const { key } = await makeKey(await makeSeller())
  const { pool, queries } = makeCountingPool()
  const found = await Promise.all(Array.from({ length: 5 }, () => verifyKey(key, () => pool)))
  expect(found.every((principal) => principal?.scopes.includes('full'))).toBe(true)
  await verifyKey(key, () => pool)
  expect(queries()).toBe(1)
})

it('rejects a key revoked in this process immediately', async () => {
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  expect(await verifyKey(key)).toBeDefined()
  await revokeKey(seller, id)
  expect(await verifyKey(key)).toBeUndefined()
})

it('publishes new and revoked keys for the server’s other process', async () => {
  const published: unknown[] = []
  const listen = (change: unknown) => published.push(change)
  subscribe(KEY_CHANGES, listen)
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  await revokeKey(seller, id)
  unsubscribe(KEY_CHANGES, listen)
  expect(published).toEqual([{ knownHash: hashKey(key).toString('base64') }, { evictedId: id }])
})

it('does not cache a lookup if the key is revoked while it runs', async () => {
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  const pool = database()
  const steps = new EventEmitter()
  const [found, released] = [once(steps, 'found'), once(steps, 'released')]
  const slow: Database['use'] = async (work) => {
    const response = await pool.use(work)
    steps.emit('found')
    await released
    return response
  }
  const before = verifyKey(key, () => ({ ...pool, use: slow }))
  await found
  await revokeKey(seller, id)
  const during = verifyKey(key)
  steps.emit('released')
  expect(await before).toBeDefined()
  expect(await during).toBeUndefined()
  expect(await verifyKey(key)).toBeUndefined()
})

it('rejects a key revoked by another process within a second', async () => {
  const { id, key } = await makeKey(await makeSeller())
  expect(await verifyKey(key)).toBeDefined()
  await revokeElsewhere(id)
  advanceClock(1_001)
  expect(await verifyKey(key)).toBeUndefined()
})

it('rejects an expired key immediately, even if it was just verified', async () => {
  const sellerId = await makeSeller()
  const { key, expiresAt } = await database().transaction(async (connection) => {
    // now() stays the same within a transaction, so the key still has 400 ms left when it is verified, however slow the test is.
    const [now] = await connection.rows<{ ms: number }>(sql`select extract(epoch from now())::float8 * 1000 as ms`)
    const expiresAt = new Date(Number(now?.ms) + 400)
    const { key } = await createKey({ sellerId, name: 'short', scopes: ['full'], expiresAt })
    expect(await verifyKey(key, () => ({ ...database(), use: (work) => work(connection) }))).toBeDefined()
    return { key, expiresAt }
  })
  await database().use(({ rows }) => rows(sql`select pg_sleep_until(${expiresAt.toISOString()})`))
  advanceClock(400)
  expect(await verifyKey(key)).toBeUndefined()
})

it('immediately rejects the old key after a rotation without overlap', async () => {
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  expect(await verifyKey(key)).toBeDefined()
  const rotated = await rotateKey(seller, id, 0)
  expect(await verifyKey(key)).toBeUndefined()
  expect(await verifyKey(String(rotated?.key))).toBeDefined()
})

it('returns changed scopes within a second', async () => {
  const { id, key } = await makeKey(await makeSeller(), 'payments:read')
  expect((await verifyKey(key))?.scopes).toEqual(['payments:read'])
  await database().use(({ rows }) => rows(sql`update api_keys set scopes = '{coupons:read}' where id = ${id}`))
  advanceClock(1_001)
  expect((await verifyKey(key))?.scopes).toEqual(['coupons:read'])
})

describe('with forged keys', () => {
  /** Stores a key as another process would, without notifying this process. */
  async function storeElsewhere(): Promise<string> {
    const key = generateKey()
    const seller = await makeSeller()
    await database().use(({ rows }) =>
      rows(
        sql`insert into api_keys (id, seller_id, name, scopes, hash) values (${newObjectId()}, ${seller}, 'Door', '{full}', ${hashKey(key)})`,
      ),
    )
    return key
  }

  it('calls `onUnknown` before it looks up an unknown key, and does not look up malformed keys', async () => {
    const { key } = await makeKey(await makeSeller())
    const [stored, { pool, queries }] = [await storeElsewhere(), makeCountingPool()]
    const refuse = async () => {
      throw new Error('refused')
    }
    expect(await verifyKey(key, () => pool, refuse)).toBeDefined()
    for (const unknown of [stored, generateKey(), 'desk_x', `${key.slice(0, -1)}_`])
      await expect(verifyKey(unknown, () => pool, refuse)).rejects.toThrow('refused')
    expect(await verifyKey('desk_x', () => pool)).toBeUndefined()
    expect(queries()).toBe(1)
    await loadKnownKeys()
    expect(await verifyKey(stored, () => pool, refuse)).toBeDefined()
    await revokeElsewhere(String((await verifyKey(stored))?.keyId))
    advanceClock(1_001)
    expect(await verifyKey(stored, () => pool, refuse)).toBeUndefined()
    await expect(verifyKey(stored, () => pool, refuse)).rejects.toThrow('refused')
  })

  it('verifies a key that has not been used since startup while 1,500 forged keys are waiting', async () => {
    const key = await storeElsewhere()
    const pools = openPools(String(process.env.TEST_DATABASE_URL))
    await warmUpPools()
    await loadKnownKeys()
    let checked = 0
    const forged = Array.from({ length: 1_500 }, () =>
      verifyKey(generateKey(), () => database('doorAuth')).then(
        (principal) => {
          checked += 1
          return principal
        },
        (error: unknown) => error,
      ),
    )
    // Lets the lookups of the forged keys enter the queue first.
    await nextIteration()
    expect(await verifyKey(key, () => database('doorAuth'))).toMatchObject({ scopes: ['full'] })
    expect(checked).toBeLessThan(100)
    for (const outcome of await Promise.all(forged)) expect([undefined, 'UnavailableError']).toContain((outcome as Error | undefined)?.name)
    await pools.close(0)
  })
})
