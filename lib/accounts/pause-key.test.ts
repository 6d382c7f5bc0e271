/** A key that guesses ticket codes is paused; a key that scans some forged tickets at a door is not. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { listAudit } from '../listing/list-audit'
import { listKeys, revokeKey } from './api-keys'
import { listPausedKeys, pauseIfGuessing, resumeKey } from './pause-key'
import { verifyKey } from './verify-key'

beforeAll(openTestDatabase)

async function makeGuesser(unknown: number, admitted = 0, ago = '0 minutes') {
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  const attempt = async (outcome: 'unknown' | 'admitted' | 'previewed' | 'idempotency_mismatch', count: number, tickets = count) =>
    database().use(({ rows }) =>
      rows(sql`
        insert into validation_attempts (seller_id, at, outcome, actor_id, ticket_id)
        select ${seller}, now() - ${ago}::interval, ${outcome}, ${id}, ${outcome === 'unknown' ? sql`null` : sql`'ticket ' || n % ${tickets}::int`}
        from generate_series(1, ${count}::int) n`),
    )
  await attempt('unknown', unknown)
  if (admitted > 0) await attempt('admitted', admitted)
  return { seller, id, key, attempt, pausedUntil: async () => (await listKeys(seller))[0]?.pausedUntil }
}

const msUntil = (instant: string | null | undefined) => Date.parse(String(instant)) - Date.now()

describe('pauseIfGuessing', () => {
  it('pauses a key for an hour after more than 600 unknown codes, and writes one entry to the audit log', async () => {
    const { seller, id, key, attempt, pausedUntil } = await makeGuesser(600)
    expect((await verifyKey(key))?.pausedUntil).toBeNull()
    expect([await pauseIfGuessing(seller, id), await pausedUntil()]).toEqual([false, null])
    await attempt('unknown', 1)
    const calls = await Promise.all([1, 2, 3].map(() => pauseIfGuessing(seller, id)))
    expect(calls.filter((isPaused) => isPaused)).toHaveLength(1)
    const until = await pausedUntil()
    expect(msUntil(until)).toBeGreaterThan(59 * 60_000)
    expect(msUntil(until)).toBeLessThan(61 * 60_000)
    // The pause applies immediately, although the key was cached.
    expect((await verifyKey(key))?.pausedUntil).toBe(until)
    const { rows: entries } = await listAudit(seller)
    expect(entries).toMatchObject([
      { email: null, action: 'key.paused', subject: 'Test', changes: { pausedUntil: { after: until } } },
      { action: 'key.created' },
    ])
    expect(await listPausedKeys(seller)).toEqual(['Test'])
    await revokeKey(seller, id)
    expect(await listPausedKeys(seller)).toEqual([])
  })

  it('cannot be evaded by repeated previews of one ticket or by reused idempotency keys', async () => {
    const { seller, id, attempt } = await makeGuesser(601, 500)
    await attempt('previewed', 300, 1)
    await attempt('idempotency_mismatch', 300)
    expect(await pauseIfGuessing(seller, id)).toBe(true)
  })

  it('counts up to 20 entries and exits of each ticket as known codes', async () => {
    const { seller, id, attempt } = await makeGuesser(621)
    // 20 entries with each of 30 tickets, and 30 more with one of them, which do not count.
    await attempt('admitted', 600, 30)
    await attempt('admitted', 30, 1)
    expect(await pauseIfGuessing(seller, id)).toBe(true)
    await resumeKey(seller, id)
    await attempt('unknown', 620)
    await attempt('admitted', 620, 31)
    expect(await pauseIfGuessing(seller, id)).toBe(false)
  })

  it('counts refused guesses, unless a pause has ended since the first of them', async () => {
    const { seller, id } = await makeGuesser(101)
    const refused = { count: 500, since: new Date() }
    expect(await pauseIfGuessing(seller, id, database(), { ...refused, count: 499 })).toBe(false)
    expect(await pauseIfGuessing(seller, id, database(), refused)).toBe(true)
    await resumeKey(seller, id)
    expect(await pauseIfGuessing(seller, id, database(), { ...refused, count: 1_000 })).toBe(false)
  })

  it('does not pause a key if at least half of the codes it sends are known', async () => {
    const { seller, id, attempt } = await makeGuesser(601, 601)
    expect(await pauseIfGuessing(seller, id)).toBe(false)
    await attempt('unknown', 1)
    expect(await pauseIfGuessing(seller, id)).toBe(true)
  })

  it('does not count attempts that are older than an hour, or made with another key', async () => {
    const { seller, id } = await makeGuesser(601, 0, '61 minutes')
    expect(await pauseIfGuessing(seller, id)).toBe(false)
    const { seller: guessing } = await makeGuesser(601)
    const other = await makeKey(guessing)
    expect(await pauseIfGuessing(guessing, other.id)).toBe(false)
  })
})

describe('resumeKey', () => {
  it('ends the pause and no longer counts earlier unknown codes', async () => {
    const { seller, id, key, attempt, pausedUntil } = await makeGuesser(601)
    await pauseIfGuessing(seller, id)
    expect((await verifyKey(key))?.pausedUntil).not.toBeNull()
    expect(await resumeKey(await makeSeller(), id)).toBe(false)
    expect(await resumeKey(seller, id)).toBe(true)
    expect([await resumeKey(seller, id), await pausedUntil(), (await verifyKey(key))?.pausedUntil]).toEqual([false, null, null])
    expect((await listAudit(seller)).rows[0]).toMatchObject({ action: 'key.resumed', subject: 'Test' })
    await attempt('unknown', 600)
    expect(await pauseIfGuessing(seller, id)).toBe(false)
    await attempt('unknown', 1)
    expect(await pauseIfGuessing(seller, id)).toBe(true)
  })
})
