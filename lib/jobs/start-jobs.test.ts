/**
 * Background jobs are started again after a failed start, scheduled jobs are sent until the jobs are stopped, and the server survives if
 * the database becomes unavailable during a task.
 */
// @module-tag slow
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { runStatement } from '@/testing/webhooks'
import { log } from '../core/log'
import { openQueue } from './job-queue'
import { startJobs } from './start-jobs'

vi.mock(import('./job-queue'), { spy: true })

withOwnDatabase()

it('stops the queue after a failed start, before it retries', async () => {
  const queue = await openQueue()
  const stopQueue = vi.spyOn(queue, 'stop')
  vi.spyOn(queue, 'send').mockRejectedValueOnce(new Error('busy'))
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

it('logs that a job could not be completed because its table is missing, and does not leave the rejection unhandled', async () => {
  const rejected = vi.fn()
  process.on('unhandledRejection', rejected)
  const warn = vi.spyOn(log(), 'warn').mockReturnValue()
  onTestFinished(() => {
    warn.mockRestore()
    process.off('unhandledRejection', rejected)
  })
  const run = vi.fn(async () => {
    await runStatement(sql`alter table pgboss.job rename to missing`)
  })
  const stop = startJobs([{ name: 'purge', everySeconds: 3_600, run }], [])
  try {
    const undefinedTable = expect.objectContaining({ error: expect.objectContaining({ code: '42P01' }) })
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(undefinedTable, 'job queue error'), { timeout: 60_000 })
    expect(run).toHaveBeenCalledOnce()
  } finally {
    await runStatement(sql`alter table if exists pgboss.missing rename to job`)
    await stop()
  }
  expect(rejected).not.toHaveBeenCalled()
})

it('returns a job to the queue if its task does not finish in time when the jobs are stopped', async () => {
  let finish = () => {}
  const run = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)))
  const stop = startJobs([{ name: 'stripe_events', everySeconds: 3_600, run }], [])
  await vi.waitFor(() => expect(run).toHaveBeenCalledOnce(), { timeout: 60_000 })
  await stop()
  const other = await openQueue()
  try {
    expect(await other.fetch('stripe_events')).toHaveLength(1)
  } finally {
    finish()
    await other.stop({ graceful: false })
  }
})
