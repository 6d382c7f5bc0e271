/** Keeps timeouts from failing tests on a busy machine. */
import { vi } from 'vitest'

/** Runs a callback while every timer in this process takes 100 times as long. */
export async function withLongTimeouts<Result>(callback: () => Promise<Result>): Promise<Result> {
  const { setTimeout: start } = globalThis
  vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => start(run, ms * 100))
  try {
    return await callback()
  } finally {
    vi.unstubAllGlobals()
  }
}
