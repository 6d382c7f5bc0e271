/** Starts what is tested on a migrated database, and tells the tests where it is. */
import { servePair } from './pair'
import { freePort, launch, serve, stop } from './processes'

export type Tested = {
  /** As who owns the tables, and as who serves. */
  ownerUrl: string
  serverUrl: string
  folder: string
  /** What the servers are told besides. */
  env?: Record<string, string>
  /** Two servers instead of one, behind a proxy. */
  pair?: boolean
}

async function startOurs(env: Record<string, string>, pair: boolean): Promise<{ url: string; stop(): Promise<unknown> }> {
  if (pair) return servePair(env)
  // As behind a proxy: each test's browser says an address of its own, so that no test slows another's sign-in down.
  const address = `http://127.0.0.1:${await freePort()}`
  const server = await serve({ ...env, PORT: new URL(address).port, NEXTAUTH_URL: address })
  return { url: server.url, stop: () => stop(server) }
}

/** @returns stops the servers */
export async function startTested({ ownerUrl, serverUrl, folder, env: more = {}, pair = false }: Tested): Promise<() => Promise<void>> {
  const env = { DATABASE_URL: serverUrl, DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '1000000', ...more }
  const ours = await startOurs(env, pair)
  const next = launch(['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    ...env,
    NODE_ENV: 'production',
  })
  const [, port] = await next.said(/http:\/\/127\.0\.0\.1:(\d+)/)
  await next.said(/Ready in/)
  Object.assign(process.env, {
    TEST_DATABASE_URL: serverUrl,
    // For who makes databases and tables, which the server's user may not.
    TEST_OWNER_URL: ownerUrl,
    TEST_DATA_DIR: folder,
    TEST_URL_SERVER: ours.url,
    TEST_URL_NEXT: `http://127.0.0.1:${port}`,
  })
  return async () => {
    await Promise.all([ours.stop(), stop(next)])
  }
}
