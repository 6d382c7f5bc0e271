/** With RATE_LIMIT_STORE=postgres, requests above a limit are rejected until it resets, even those that cause no query. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it, vi } from 'vitest'
import { openTestDatabase } from '@/testing/seller'

vi.hoisted(() => vi.stubEnv('RATE_LIMIT_STORE', 'postgres'))

const { limitUnknownScans } = await import('./unknown-codes')

beforeAll(openTestDatabase)

it('rejects offline scans that belong to no ticket after 100 of them', async () => {
  const actorId = randomBytes(12).toString('hex')
  const record = vi.fn(() => Promise.resolve(true))
  const send = () => limitUnknownScans(actorId, [{ id: 'scan' }], record)
  for (let i = 0; i < 100; i += 1) expect(await send()).toEqual(['scan'])
  for (let i = 0; i < 3; i += 1) await expect(send()).rejects.toMatchObject({ code: 'rate_limited' })
  expect(record).toHaveBeenCalledTimes(100)
})
