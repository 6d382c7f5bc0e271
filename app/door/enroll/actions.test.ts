/** The cookie of a check-in device. */
import { beforeAll, expect, it, vi } from 'vitest'
import { createDevice } from '@/lib/accounts/check-in-devices'
import { makeOwner } from '@/testing/devices'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { enroll } from './actions'

const jar = vi.hoisted(() => ({ set: vi.fn<(name: string, value: string, options: { expires: Date }) => void>() }))
vi.mock('next/headers', () => ({ cookies: async () => jar }))

beforeAll(openTestDatabase)

it('outlives the device by 30 days, during which it can still report its scans', async () => {
  const sellerId = await makeSeller()
  const by = await makeOwner(sellerId)
  const { code } = await createDevice(sellerId, { name: 'Gate 1', pageIds: [], rights: ['offline'], days: 1 }, by)
  const form = new FormData()
  form.set('code', code)
  await expect(enroll({}, form)).rejects.toThrow('NEXT_REDIRECT')
  const options = jar.set.mock.lastCall?.[2]
  const days = (Number(options?.expires) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(30.9)
  expect(days).toBeLessThanOrEqual(31)
})
