/** Starts the product and the reference server, each in its own process. */
import { launch, type Program, serve, stop } from '@/e2e/support/processes'
import { FOLDER } from './cluster'

export type RunningProgram = Program & { url: string }

/** Starts the product with the default settings, but without rate limits and request logs, and with webhooks to this machine allowed. */
export const startProduct = (url: string): Promise<RunningProgram> =>
  serve({ DATABASE_URL: url, DATA_DIR: FOLDER, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'error', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' })

export async function startReference(url: string): Promise<RunningProgram> {
  const program = launch(['--import', 'tsx', 'bench/reference.ts'], { DATABASE_URL: url, NODE_ENV: 'production' })
  const [, port] = await program.waitForOutput(/listening on (\d+)/)
  return { ...program, url: `http://127.0.0.1:${port}` }
}

export { stop }
