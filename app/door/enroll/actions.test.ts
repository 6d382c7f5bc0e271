/** The cookie that a browser gets when it is set up as a check-in device. */
import { beforeAll, expect, it, vi } from 'vitest'
import { createDevice, DEVICE_COOKIE, findDevice } from '@/lib/accounts/check-in-devices'
import { makeOwner } from '@/testing/devices'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { enroll } from './actions'

type CookieOptions = { expires: Date; httpOnly: boolean; secure: boolean; sameSite: string; path: string }
const jar = vi.hoisted(() => ({ set: vi.fn<(name: string, value: string, options: CookieOptions) => void>() }))
vi.mock('next/headers', () => ({ cookies: async () => jar }))
const tls = vi.hoisted(() => ({ isBehind: true }))
vi.mock(import('@/lib/core/env'), async (original) => ({ ...(await original()), isBehindTls: () => tls.isBehind }))

beforeAll(openTestDatabase)

/** Sets up a device. @returns its ID and its cookie */
async function setUp() {
  const sellerId = await makeSeller()
  const by = await makeOwner(sellerId)
  const { id, code } = await createDevice(sellerId, { name: 'Gate 1', pageIds: [], rights: ['offline'], days: 1 }, by)
  const form = new FormData()
  form.set('code', code)
  expect(await enroll({}, form)).toEqual({ data: true })
  const [name, token = '', options] = jar.set.mock.lastCall ?? []
  return { id, name, token, options }
}

it('the cookie has 256 random bits, and is sent only to the check-in page, from the same site, and over TLS if the server is behind TLS', async () => {
  const { id, name, token, options } = await setUp()
  expect(name).toBe(DEVICE_COOKIE)
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(await findDevice(token)).toMatchObject({ id })
  expect(options).toMatchObject({ httpOnly: true, secure: true, sameSite: 'strict', path: '/door' })
  tls.isBehind = false
  expect((await setUp()).options).toMatchObject({ httpOnly: true, secure: false, sameSite: 'strict', path: '/door' })
})

it('the cookie outlives the device by 30 days, during which the device can still report its scans', async () => {
  const { options } = await setUp()
  const days = (Number(options?.expires) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(30.9)
  expect(days).toBeLessThanOrEqual(31)
})
