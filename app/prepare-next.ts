/**
 * Creates the handler for requests that Next serves. Next runs in a separate process in production, and in the server's process in
 * development.
 */
import { type RequestListener, Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { env } from '@/lib/core/env'
import { respondToOutages } from '@/lib/http/page-outages'

/**
 * Loads Next, prepares it, and returns its request handler.
 *
 * @param port the port of the server that Next runs in
 * @param upgrades receives Next's upgrade listener instead of the server, because that listener closes connections with unknown upgrades
 * @throws {Error} in production, if the pages have not been built
 */
export async function prepareNext(port: number, isDevelopment = false, upgrades = new Server()): Promise<RequestListener> {
  // Without this variable, Next would load the project's .env files into this process. The API and `desk` do not read them.
  process.env.__NEXT_PROCESSED_ENV = 'true'
  const { default: next } = await import('next')
  const { HOST } = env()
  // After a server action redirects, Next requests the target from this origin. Without this variable, it would take the scheme from
  // `X-Forwarded-Proto`, although this server's port has no TLS.
  process.env.__NEXT_PRIVATE_ORIGIN = `http://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${port}`
  const dir = join(import.meta.dirname, '..')
  const app = next({ dev: isDevelopment, dir, hostname: HOST, port, quiet: true, httpServer: upgrades })
  await app.prepare()
  return respondToOutages(app.getRequestHandler())
}
