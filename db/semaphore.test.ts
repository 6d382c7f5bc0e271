/** Tests semaphores, which limit work, queues and waits; locks, which serialize work with the same key; and quotas. */
import { expect, it } from 'vitest'
import { createQuota, createSemaphore, createSharedSemaphore, reportedLoads, withTicketLock } from './semaphore'
import { UnavailableError } from './unavailable'

/** Returns work that finishes when `end` is called. */
function pendingWork(): { work: () => Promise<string>; end: () => void } {
  let end = () => {}
  const ended = new Promise<string>((resolve) => {
    end = () => resolve('done')
  })
  return { work: () => ended, end }
}

it('serializes work with the same key, runs work with different keys in parallel, and rejects callers that wait too long', {
  tags: 'slow',
}, async () => {
  const first = pendingWork()
  const running = withTicketLock('seller a', first.work)
  let hasBegun = false
  const second = withTicketLock('seller a', async () => {
    hasBegun = true
  })
  expect(await withTicketLock('seller b', async () => 'b')).toBe('b')
  expect(await withTicketLock('other a', async () => 'other')).toBe('other')
  expect(hasBegun).toBe(false)
  await expect(second).rejects.toThrow(UnavailableError)
  first.end()
  expect(await running).toBe('done')
  expect(await withTicketLock('seller a', async () => 'again')).toBe('again')
})

it('releases the lock if the callback fails', async () => {
  const fails = withTicketLock('seller a', () => Promise.reject(new Error('no')))
  await expect(fails).rejects.toThrow('no')
  expect(await withTicketLock('seller a', async () => 'next')).toBe('next')
})

it('rejects immediately if the queue is full', async () => {
  const semaphore = createSemaphore({ name: 'the test', limit: 1, waitMs: 60_000, queue: 1 })
  const release = await semaphore.acquire()
  const waiting = semaphore.acquire()
  expect(semaphore.load()).toEqual({ active: 1, waiting: 1, refused: 0 })
  await expect(semaphore.acquire()).rejects.toThrow(UnavailableError)
  release()
  ;(await waiting)()
  expect(semaphore.load()).toEqual({ active: 0, waiting: 0, refused: 1 })
})

it('rejects immediately if too many callers with the same owner are waiting', async () => {
  const semaphore = createSemaphore({ name: 'the test', limit: 1, waitMs: 60_000, queue: 3, queuePerOwner: 1 })
  const release = await semaphore.acquire('a')
  const waiting = [semaphore.acquire('a')]
  await expect(semaphore.acquire('a')).rejects.toMatchObject({ code: 'queue_full' })
  waiting.push(semaphore.acquire('b'))
  expect(semaphore.load()).toEqual({ active: 1, waiting: 2, refused: 1 })
  release()
  for (const acquired of waiting) (await acquired)()
})

it('`whenIdle` waits until no slot is in use or the time limit is reached', async () => {
  const semaphore = createSemaphore({ name: 'the test', limit: 2, waitMs: 60_000 })
  await semaphore.whenIdle(60_000)
  const releases = [await semaphore.acquire(), await semaphore.acquire()]
  await semaphore.whenIdle(1)
  let isIdle = false
  const idle = semaphore.whenIdle(60_000).then(() => {
    isIdle = true
  })
  releases[0]?.()
  await Promise.resolve()
  expect(isIdle).toBe(false)
  releases[1]?.()
  await idle
})

it('serves waiting owners round-robin, and the callers of each owner in order', async () => {
  const semaphore = createSemaphore({ name: 'the test', limit: 1, waitMs: 60_000 })
  const order: string[] = []
  const wait = (name: string, owner: string) => semaphore.run(async () => void order.push(name), owner)
  const release = await semaphore.acquire('a')
  const all = Promise.all([wait('a1', 'a'), wait('a2', 'a'), wait('a3', 'a'), wait('b1', 'b'), wait('c1', 'c'), wait('b2', 'b')])
  release()
  await all
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(semaphore.load()).toEqual({ active: 0, waiting: 0, refused: 0 })
})

it('does not count time during which the event loop was blocked as waiting', async () => {
  const semaphore = createSemaphore({ name: 'the test', limit: 1, waitMs: 100 })
  const release = await semaphore.acquire()
  const waiting = semaphore.acquire()
  // The timers run between the two immediates. Likewise, a response that releases the slot would be read only after the timers have run.
  setImmediate(() => {
    const until = performance.now() + 150
    while (performance.now() < until);
    setImmediate(release)
  })
  ;(await waiting)()
  expect(semaphore.load()).toEqual({ active: 0, waiting: 0, refused: 0 })
})

it('does not give a slot to a caller that stopped waiting', async () => {
  const semaphore = createSemaphore({ name: 'the test', limit: 1, waitMs: 20 })
  const release = await semaphore.acquire('a')
  await expect(semaphore.acquire('b')).rejects.toThrow(UnavailableError)
  const next = semaphore.acquire('c')
  release()
  ;(await next)()
  expect(semaphore.load()).toEqual({ active: 0, waiting: 0, refused: 1 })
})

it('limits a seller who uses a slot while thousands of others come and go, and counts all rejections', async () => {
  const semaphore = createSharedSemaphore({ name: 'the test', limit: 2, waitMs: 60_000, perSeller: { limit: 1, queue: 0 } })
  const release = await semaphore.acquire('a')
  const acquireAgain = () => expect(semaphore.acquire('a')).rejects.toMatchObject({ code: 'queue_full' })
  await acquireAgain()
  for (let count = 0; count < 2_000; count += 1) await semaphore.run(`seller ${count}`, async () => {})
  await acquireAgain()
  expect(semaphore.load()).toEqual({ active: 1, waiting: 0, refused: 2 })
  release()
  release()
  expect(semaphore.load()).toEqual({ active: 0, waiting: 0, refused: 2 })
  ;(await semaphore.acquire('a'))()
})

it.each([
  [{}, 'the pages of one seller'],
  [{ name: 'the pages of one device' }, 'the pages of one device'],
])('names the throttle whose queue is full: %j', async (named, expected) => {
  const semaphore = createSharedSemaphore({ name: 'the pages', limit: 2, waitMs: 60_000, perSeller: { limit: 1, queue: 0, ...named } })
  const release = await semaphore.acquire('a')
  await expect(semaphore.acquire('a')).rejects.toThrow(expected)
  release()
})

it('limits what callers hold, in total and per address, and reports the callers', () => {
  const reserve = createQuota('the test', { total: 5, perAddress: 3 })
  const releases = [reserve('a', 3), reserve('a', 0), reserve('b')]
  expect(releases).not.toContain(undefined)
  expect(reserve('a')).toBeUndefined()
  expect(reserve('b', 2)).toBeUndefined()
  expect(reportedLoads().get('the test')).toEqual({ active: 3, waiting: 0, refused: 2 })
  for (const release of [...releases, ...releases]) release?.()
  expect(reserve('b', 3)).toBeDefined()
  expect(reserve('a', 3)).toBeUndefined()
  expect(reportedLoads().get('the test')).toEqual({ active: 1, waiting: 0, refused: 3 })
})
