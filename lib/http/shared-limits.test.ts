/** With RATE_LIMIT_STORE=postgres, requests above a limit are rejected until it resets, even those that cause no query. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it, vi } from 'vitest'
import { openTestDatabase } from '@/testing/seller'
import type { ChangeResult } from '../admission/change-ticket'

vi.hoisted(() => vi.stubEnv('RATE_LIMIT_STORE', 'postgres'))

const { limitUnknownCodes, limitUnknownScans } = await import('./unknown-codes')

beforeAll(openTestDatabase)

it('rejects offline scans that belong to no ticket after 100 of them', async () => {
  const actorId = randomBytes(12).toString('hex')
  const record = vi.fn(() => Promise.resolve(true))
  const send = () => limitUnknownScans(actorId, [{ id: 'scan' }], record)
  for (let i = 0; i < 100; i += 1) expect(await send()).toEqual(['scan'])
  for (let i = 0; i < 3; i += 1) await expect(send()).rejects.toMatchObject({ code: 'rate_limited' })
  expect(record).toHaveBeenCalledTimes(100)
})

it('rejects guesses that were being validated when other guesses exceeded the limit', async () => {
  const scan = { actorId: randomBytes(12).toString('hex'), sellerId: 'x', code: 'x', checkIn: true }
  const unknown = { result: { outcome: 'unknown' } } as ChangeResult
  const guess = (validated: Promise<ChangeResult>) => limitUnknownCodes(scan, vi.fn(), () => validated)
  const resolvers: ((result: ChangeResult) => void)[] = []
  const guesses = Array.from({ length: 3 }, () => guess(new Promise((resolve) => resolvers.push(resolve))))
  for (let i = 0; i < 100; i += 1) await guess(Promise.resolve(unknown))
  for (const [i, resolve] of resolvers.entries()) {
    resolve(unknown)
    await expect(guesses[i]).rejects.toMatchObject({ code: 'rate_limited' })
  }
})
