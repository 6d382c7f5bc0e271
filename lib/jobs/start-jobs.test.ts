/** The start of the background jobs. */
import { expect, it, vi } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { openQueue } from './job-queue'
import { startJobs } from './start-jobs'

vi.mock(import('./job-queue'), { spy: true })

withOwnDatabase()

it('stops the queue of a failed start before it retries', async () => {
  const queue = await openQueue()
  const stopQueue = vi.spyOn(queue, 'stop')
  vi.spyOn(queue, 'schedule').mockRejectedValueOnce(new Error('busy'))
  vi.mocked(openQueue).mockResolvedValueOnce(queue)
  const stop = startJobs([{ name: 'purge', cron: '0 * * * *', run: async () => {} }], [])
  try {
    await vi.waitFor(() => expect(stopQueue).toHaveBeenCalledWith({ graceful: false }))
  } finally {
    await stop()
    await queue.stop({ graceful: false })
  }
})
