/** Before all tests: a PostgreSQL of their own, our server on it, and a plain `next start` beside it. */
import { startPostgres } from '@/testing/postgres'
import { freePort, launch, serve, stop } from './processes'

export default async function setup() {
  const postgres = await startPostgres()
  const env = { DATABASE_URL: postgres.serverUrl, DATA_DIR: postgres.folder, RATE_LIMIT_PER_MINUTE: '1000000' }
  // As behind a proxy: each test's browser says an address of its own, so that no test slows another's sign-in down.
  const address = `http://127.0.0.1:${await freePort()}`
  const server = await serve({ ...env, PORT: new URL(address).port, NEXTAUTH_URL: address })
  const next = launch(['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    ...env,
    NODE_ENV: 'production',
  })
  const [, port] = await next.said(/http:\/\/127\.0\.0\.1:(\d+)/)
  await next.said(/Ready in/)
  Object.assign(process.env, {
    TEST_DATABASE_URL: postgres.serverUrl,
    // For who makes databases and tables, which the server's user may not.
    TEST_OWNER_URL: postgres.url,
    TEST_DATA_DIR: postgres.folder,
    TEST_URL_SERVER: server.url,
    TEST_URL_NEXT: `http://127.0.0.1:${port}`,
  })
  return async () => {
    await Promise.all([stop(server), stop(next)])
    await postgres.remove()
  }
}
