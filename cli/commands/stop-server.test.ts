/** Stopping `desk serve`: npm and the terminal may both deliver the same Ctrl-C, and npm may end the shell at the same time. */
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runUntilStopped } from './serve'

const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const before = {
  SIGINT: process.listeners('SIGINT'),
  SIGTERM: process.listeners('SIGTERM'),
  SIGHUP: process.listeners('SIGHUP'),
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubEnv('npm_lifecycle_event', '')
  exit.mockClear()
})

afterEach(() => {
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal)) if (!before[signal].includes(listener)) process.off(signal, listener)
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

afterAll(() => exit.mockRestore())

/** Starts waiting for signals. Stopping takes `ms` milliseconds. Returns a function that calls the listeners for a signal. */
function run(ms: number) {
  const stop = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, ms)))
  const stopped = runUntilStopped({ stop })
  const deliver = (signal: NodeJS.Signals & keyof typeof before) => {
    for (const listener of process.listeners(signal)) if (!before[signal].includes(listener)) listener(signal)
  }
  return { stop, stopped, deliver }
}

it('stops gracefully if npm delivers the terminal’s Ctrl-C again', async () => {
  const { stop, stopped, deliver } = run(2_000)
  deliver('SIGINT')
  deliver('SIGINT')
  await vi.advanceTimersByTimeAsync(2_000)
  await stopped
  expect(stop).toHaveBeenCalledOnce()
  expect(exit).not.toHaveBeenCalled()
})

it('stops gracefully if the shell that npm started ends with the same signal', async () => {
  vi.stubEnv('npm_lifecycle_event', 'start')
  const ppid = vi.spyOn(process, 'ppid', 'get')
  const { stop, stopped, deliver } = run(2_000)
  deliver('SIGTERM')
  ppid.mockReturnValue(1)
  await vi.advanceTimersByTimeAsync(2_000)
  await stopped
  ppid.mockRestore()
  expect(stop).toHaveBeenCalledOnce()
  expect(exit).not.toHaveBeenCalled()
})

it('exits immediately after a second signal', async () => {
  const { deliver } = run(60_000)
  deliver('SIGINT')
  await vi.advanceTimersByTimeAsync(1_500)
  deliver('SIGINT')
  expect(exit).toHaveBeenCalledExactlyOnceWith(1)
})

it('prints on a terminal, after a second, that another Ctrl-C exits immediately', async () => {
  const { isTTY } = process.stderr
  process.stderr.isTTY = true
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { deliver } = run(60_000)
  deliver('SIGINT')
  await vi.advanceTimersByTimeAsync(999)
  expect(write).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(write).toHaveBeenCalledExactlyOnceWith('Stopping … Press Ctrl-C again to exit immediately.\n')
  process.stderr.isTTY = isTTY
  write.mockRestore()
})

it('stops if the shell that npm started ended before the server had started', async () => {
  vi.stubEnv('npm_lifecycle_event', 'start')
  const ppid = vi.spyOn(process, 'ppid', 'get').mockReturnValue(1)
  const { stop } = run(0)
  await vi.advanceTimersByTimeAsync(1_000)
  ppid.mockRestore()
  expect(stop).toHaveBeenCalledOnce()
})
