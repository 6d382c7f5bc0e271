/** Background jobs are started again after a failed start, and scheduled jobs are sent until the jobs are stopped. */
// @module-tag slow
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { openQueue } from './job-queue'
import { startJobs } from './start-jobs'

vi.mock(import('./job-queue'), { spy: true })

withOwnDatabase()

it('stops the queue after a failed start, before it retries', async () => {
  const queue = await openQueue()
  const stopQueue = vi.spyOn(queue, 'stop')
  vi.spyOn(queue, 'work').mockRejectedValueOnce(new Error('busy'))
  vi.mocked(openQueue).mockResolvedValueOnce(queue)
  const stop = startJobs([{ name: 'purge', everySeconds: 3_600, run: async () => {} }], [])
  try {
    await vi.waitFor(() => expect(stopQueue).toHaveBeenCalledWith({ graceful: false }))
  } finally {
    await stop()
    await queue.stop({ graceful: false })
  }
})

it('sends a job at each interval until the jobs are stopped, and the queue accepts one job per period', async () => {
  const queue = await openQueue()
  const send = vi.spyOn(queue, 'send')
  vi.mocked(openQueue).mockResolvedValueOnce(queue)
  const stop = startJobs([{ name: 'purge', everySeconds: 1, run: async () => {} }], [])
  const countScheduled = () => send.mock.calls.filter(([, , options]) => options?.singletonSeconds === 60).length
  await vi.waitFor(() => expect(countScheduled()).toBeGreaterThan(2), { timeout: 30_000 })
  await stop()
  const sent = countScheduled()
  await pause(2_000)
  expect(countScheduled()).toBe(sent)

  const other = await openQueue()
  try {
    const options = { singletonSeconds: 600 }
    expect(await other.send('code_keys', {}, options)).not.toBeNull()
    // A second job in the same period is rejected, even after the first one has been processed.
    const [job] = await other.fetch('code_keys')
    await other.complete('code_keys', job?.id ?? '')
    expect(await other.send('code_keys', {}, options)).toBeNull()
  } finally {
    await other.stop({ graceful: false })
  }
})
