/** Starts the background jobs of a server: scheduled tasks, each of which one server runs at a time, and workers. */
import { setTimeout as pause } from 'node:timers/promises'
import type { QueueName } from '@/db/queue'
import { describeError, log } from '../core/log'
import { type JobQueue, openQueue } from './job-queue'

/** The interval at which a server without a database tries to start its jobs, in milliseconds. */
const RETRY_MS = 5_000
/** How long a running task can take to finish when the server stops, in milliseconds. */
const STOP_MS = 10_000
const POLL_SECONDS = 15

export type Task = {
  name: QueueName
  /** When the task runs, in cron's format, in addition to the server's start. */
  cron: string
  run(): Promise<unknown>
}

/** Starts work on the queue's jobs. @returns a function that stops it, after running work has finished */
type StartWorker = (queue: JobQueue) => () => Promise<void>

/** Runs each function, even if another one fails. @throws {AggregateError} with the errors */
export async function runAll(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const run of work) await run().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors)
}

async function runTask({ name, run }: Task): Promise<void> {
  try {
    await run()
  } catch (error) {
    log().warn({ task: name, error: describeError(error) }, 'task failed')
  }
}

async function schedule(queue: JobQueue, task: Task): Promise<void> {
  await queue.schedule(task.name, task.cron)
  await queue.work(task.name, { pollingIntervalSeconds: POLL_SECONDS }, () => runTask(task))
  await queue.send(task.name, {})
}

/**
 * Starts the jobs, as soon as the database can be reached.
 *
 * @returns a function that stops them, and waits for those that are running
 */
export function startJobs(tasks: readonly Task[], workers: readonly StartWorker[]): () => Promise<void> {
  const ending = new AbortController()
  const start = async () => {
    for (;;) {
      let queue: JobQueue | undefined
      try {
        const opened = await openQueue()
        queue = opened
        for (const task of tasks) await schedule(opened, task)
        return { queue: opened, stops: workers.map((worker) => worker(opened)) }
      } catch (error) {
        log().warn({ error: describeError(error) }, 'could not start the background jobs; will retry')
        // The next attempt opens a new queue.
        await queue?.stop({ graceful: false }).catch(() => {})
      }
      await pause(RETRY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {})
      if (ending.signal.aborted) return undefined
    }
  }
  const started = start()
  return async () => {
    ending.abort()
    const running = await started
    if (!running) return
    await Promise.all([...running.stops.map((stop) => stop()), running.queue.stop({ timeout: STOP_MS })])
  }
}
