/** Starts the background jobs of a server: its workers, and the scheduled tasks, which the servers share. */
import { setTimeout as pause } from 'node:timers/promises'
import type PgBoss from 'pg-boss'
import type { QueueName } from '@/db/queue'
import { log } from '../core/log'
import { openQueue } from './job-queue'

/** How long a server waits before it tries again to start its jobs, in milliseconds. */
const RETRY_MS = 5_000
/** The maximum time that a stopping server waits for a running task, in milliseconds. */
const STOP_MS = 10_000
/** How often a server looks for scheduled jobs, in milliseconds. */
const POLL_MS = 15_000
/** The length of a period, in seconds. The queue accepts one scheduled job per task and period. */
const PERIOD_SECONDS = 60

export type Task = {
  name: QueueName
  /** How often the task runs, in seconds: a multiple of a minute. It also runs when the server starts. */
  everySeconds: number
  run(): Promise<unknown>
}

/** Starts processing the queue's jobs. @returns a function that stops the processing, and waits for running jobs */
type StartWorker = (queue: PgBoss) => () => Promise<void>

/** Runs a task. Logs its error instead of throwing it. */
async function runTask({ name, run }: Task): Promise<void> {
  try {
    await run()
  } catch (error) {
    log().warn({ task: name, error }, 'task failed')
  }
}

/**
 * Runs a task's jobs, one after the other. pg-boss's own worker does not wait until a job is stored as completed: if the database became
 * unavailable during a task, the rejection would be unhandled, and would terminate the server.
 *
 * @returns a function that stops the processing. If the task is still running after `STOP_MS`, its job is returned to the queue
 */
function processJobs(queue: PgBoss, task: Task): () => Promise<void> {
  const { name } = task
  const abortController = new AbortController()
  let running: string | undefined

  const runNext = async () => {
    const [job] = await queue.fetch(name)
    if (!job) return
    running = job.id
    await runTask(task)
    running = undefined
    await queue.complete(name, job.id)
  }
  const loop = async () => {
    while (!abortController.signal.aborted) {
      await runNext().catch((error: unknown) => queue.emit('error', error))
      await pause(POLL_MS, undefined, { signal: abortController.signal, ref: false }).catch(() => {})
    }
  }
  const ended = loop()
  return async () => {
    abortController.abort()
    await Promise.race([ended, pause(STOP_MS, undefined, { ref: false })])
    if (running !== undefined)
      await queue
        .fail(name, running, { message: 'The server stopped before the task finished.' })
        .catch((error: unknown) => queue.emit('error', error))
  }
}

/**
 * Runs a task now and at its interval. All servers send the task's job at the same time, and the queue accepts one per minute. Because the
 * servers' clocks differ, they send it in the middle of a minute. pg-boss's own schedules would block the event loop for 10 to 20 ms
 * every 30 seconds, because they search for the last time of each cron expression second by second.
 *
 * @returns a function that stops sending and processing the job
 */
async function schedule(queue: PgBoss, task: Task): Promise<() => Promise<void>> {
  const { name, everySeconds } = task
  const everyMs = everySeconds * 1_000
  await queue.send(name, {})
  const endProcessing = processJobs(queue, task)
  let timer: NodeJS.Timeout
  const send = () => {
    startTimer()
    queue.send(name, {}, { singletonSeconds: PERIOD_SECONDS }).catch((error: unknown) => queue.emit('error', error))
  }
  const startTimer = () => {
    timer = setTimeout(send, everyMs - ((Date.now() - PERIOD_SECONDS * 500) % everyMs)).unref()
  }
  startTimer()
  return () => {
    clearTimeout(timer)
    return endProcessing()
  }
}

/**
 * Starts the jobs as soon as the database can be reached.
 *
 * @returns a function that stops the jobs, and waits for running ones (for tasks, at most `STOP_MS`)
 */
export function startJobs(tasks: readonly Task[], workers: readonly StartWorker[]): () => Promise<void> {
  const abortController = new AbortController()
  const start = async () => {
    for (;;) {
      let queue: PgBoss | undefined
      const schedules: (() => Promise<void>)[] = []
      try {
        const opened = await openQueue()
        queue = opened
        for (const task of tasks) schedules.push(await schedule(opened, task))
        return { queue: opened, stops: [...schedules, ...workers.map((worker) => worker(opened))] }
      } catch (error) {
        log().warn({ error }, 'could not start the background jobs; will retry')
        await Promise.all(schedules.map((stop) => stop()))
        // The next attempt opens a new queue.
        await queue?.stop({ graceful: false }).catch(() => {})
      }
      await pause(RETRY_MS, undefined, { signal: abortController.signal, ref: false }).catch(() => {})
      if (abortController.signal.aborted) return undefined
    }
  }
  const started = start()
  return async () => {
    abortController.abort()
    const running = await started
    if (!running) return
    await Promise.all(running.stops.map((stop) => stop()))
    await running.queue.stop({ graceful: false })
  }
}
