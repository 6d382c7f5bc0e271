/** Creates Next's handler for pages. It runs in a separate process in production, and in the server's process in development. */
import { type RequestListener, Server } from 'node:http'
import { join } from 'node:path'
import { env } from '@/lib/core/env'
import { respondToOutages } from '@/lib/http/page-outages'

/**
 * Loads Next, prepares it, and returns its request handler.
 *
 * @param port the server's port
 * @param upgrades receives Next's upgrade listener instead of the server, because that listener closes connections with unknown upgrades
 * @throws {Error} if the pages have not been built
 */
export async function prepareNext(port: number, isDevelopment = false, upgrades = new Server()): Promise<RequestListener> {
  const { default: next } = await import('next')
  const dir = join(import.meta.dirname, '..')
  const app = next({ dev: isDevelopment, dir, hostname: env().HOST, port, quiet: true, httpServer: upgrades })
  await app.prepare()
  return respondToOutages(app.getRequestHandler())
}
