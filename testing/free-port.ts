/** Finds a free port for a program that a test starts. */
import { createServer } from 'node:net'

/** Returns a port that is currently free. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
