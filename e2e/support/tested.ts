/** Starts the server under test on a migrated database, and sets the `TEST_…` variables that the specs read. */
import { randomBytes } from 'node:crypto'
import { servePair } from './pair'
import { freePort, serve, stop, untilReady } from './processes'

export type ServerOptions = {
  /** Connects as the owner of the tables; `serverUrl` as the server does. */
  ownerUrl: string
  serverUrl: string
  folder: string
  /** Additional environment variables of the server. */
  env?: Record<string, string>
  /** Whether two servers run behind a proxy instead of one. */
  pair?: boolean
}

async function startServer(env: Record<string, string>): Promise<{ url: string; stop(): Promise<unknown> }> {
  // As if behind a proxy: each test's browser sends its own address, so that tests do not throttle each other's sign-ins.
  const address = `http://127.0.0.1:${await freePort()}`
  const server = await serve({ ...env, PORT: new URL(address).port, NEXTAUTH_URL: address, TRUST_PROXY: '1' })
  await untilReady(server)
  return { url: server.url, stop: () => stop(server) }
}

/** @returns a function that stops the servers */
export async function startTested({
  ownerUrl,
  serverUrl,
  folder,
  env: more = {},
  pair = false,
}: ServerOptions): Promise<() => Promise<void>> {
  const NEXTAUTH_SECRET = randomBytes(32).toString('base64url')
  const env = { DATABASE_URL: serverUrl, DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '1000000', NEXTAUTH_SECRET, ...more }
  const server = await (pair ? servePair(env) : startServer(env))
  Object.assign(process.env, {
    // The variables of commands that a test runs in its own process.
    DATABASE_URL: serverUrl,
    DATA_DIR: folder,
    NEXTAUTH_SECRET,
    TEST_DATABASE_URL: serverUrl,
    // The server's user is not allowed to create databases and tables.
    TEST_OWNER_URL: ownerUrl,
    TEST_DATA_DIR: folder,
    TEST_SESSION_SECRET: NEXTAUTH_SECRET,
    TEST_URL_SERVER: server.url,
  })
  return async () => {
    await server.stop()
  }
}
