/** Tests the response to a request that exceeds the limit of its key. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { expect, it, vi } from 'vitest'
import { limitRate } from './rate-limit'

it('asks the client to wait at least one second, even if the limit resets immediately', async () => {
  vi.spyOn(RateLimiterMemory.prototype, 'consume').mockRejectedValueOnce(new RateLimiterRes(0, 0, 1001))
  await expect(limitRate('key')).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('Retry in 1 second.'),
    headers: { 'Retry-After': '1', 'RateLimit-Reset': '0' },
  })
})
