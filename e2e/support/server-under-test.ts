/** Starts the server under test on a migrated database and sets the `TEST_…` variables that the specs read. */
import { randomBytes } from 'node:crypto'
import { freePort } from '@/testing/free-port'
import { servePair } from './pair'
import { serve, stop, untilReady } from './processes'

export type ServerOptions = {
  /** The connection string for the owner of the tables. */
  ownerUrl: string
  /** The connection string for the server's user. */
  serverUrl: string
  folder: string
  /** Additional environment variables for the server. */
  env?: Record<string, string>
  /** Whether to start two servers behind a proxy instead of one server. */
  pair?: boolean
}

async function startServer(env: Record<string, string>): Promise<{ url: string; stop(): Promise<unknown> }> {
  const address = `http://127.0.0.1:${await freePort()}`
  // Trust X-Forwarded-For, in which each test's browser sends its own address, so that tests do not trigger each other's sign-in limits.
  const server = await serve({ ...env, PORT: new URL(address).port, NEXTAUTH_URL: address, TRUST_PROXY: '1' })
  await untilReady(server)
  return { url: server.url, stop: () => stop(server) }
}

/** Starts one or two servers. @returns a function that stops them */
export async function startServerUnderTest({
  ownerUrl,
  serverUrl,
  folder,
  env: extraEnv = {},
  pair = false,
}: ServerOptions): Promise<() => Promise<void>> {
  const NEXTAUTH_SECRET = randomBytes(32).toString('base64url')
  const env = { DATABASE_URL: serverUrl, DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '1000000', NEXTAUTH_SECRET, ...extraEnv }
  const server = await (pair ? servePair(env) : startServer(env))
  Object.assign(process.env, {
    // For commands that run in the test's process.
    DATABASE_URL: serverUrl,
    DATA_DIR: folder,
    NEXTAUTH_SECRET,
    TEST_DATABASE_URL: serverUrl,
    // The server's user cannot create databases and tables.
    TEST_OWNER_URL: ownerUrl,
    TEST_DATA_DIR: folder,
    TEST_SESSION_SECRET: NEXTAUTH_SECRET,
    TEST_SERVER_URL: server.url,
  })
  return async () => {
    await server.stop()
  }
}
