/** Shared by the tests of backups: a shop filled from the fixtures, and what must be the same after a restore. */
import { readFile } from 'node:fs/promises'
import { expect } from 'playwright/test'
import { desk } from './processes'

export type Env = Record<string, string>

/** Runs `desk`, which must succeed. @returns its JSON output */
export async function succeed(args: string[], env: Env): Promise<Record<string, string>> {
  const program = desk(args, env)
  expect(await program.ended, program.output()).toBe(0)
  const line = program
    .output()
    .split('\n')
    .find((one) => one.startsWith('{'))
  return JSON.parse(line ?? '{}') as Record<string, string>
}

const RESOURCES = ['pages', 'coupons', 'payments', 'bookings', 'subscriptions', 'tickets'] as const
const LISTS = RESOURCES.slice(1, -1).flatMap((name) => [`/v1/${name}?limit=100`, `/v1/${name}?limit=7&search=a`])

export type FilledShop = {
  /** Codes of paid tickets. */
  codes: string[]
  /** Returns the text of several lists; the third and fourth are of payments. */
  lists(url: string): Promise<string[]>
  /** Validates a ticket and returns the text of the response. */
  scan(url: string, code: string | undefined, idempotencyKey: string): Promise<string>
}

/** Creates a seller with a key and every fixture in the database of `env`. */
export async function fillShop(env: Env): Promise<FilledShop> {
  const { sellerId = '' } = await succeed(
    ['seller', 'create', '--name', 'x', '--email', 'x@example.com', '--password', 'correct horse', '--time-zone', 'Europe/Amsterdam'],
    env,
  )
  const { key = '' } = await succeed(['key', 'create', '--seller', sellerId, '--name', 'x'], env)
  for (const name of RESOURCES) await succeed(['import', name, `e2e/fixtures/${name}.ndjson`, '--seller', sellerId], env)
  const tickets = (await readFile('e2e/fixtures/tickets.ndjson', 'utf8'))
    .split('\n')
    .map((line) => JSON.parse(line || '{}') as { qrCode: string; status: string })
  const authorization = { Authorization: `Bearer ${key}` }
  return {
    codes: tickets.filter(({ status }) => status === 'PAID').map(({ qrCode }) => qrCode),
    lists: (url) => Promise.all(LISTS.map(async (path) => (await fetch(`${url}${path}`, { headers: authorization })).text())),
    scan: async (url, code = '', idempotencyKey) => {
      const headers = { ...authorization, 'Idempotency-Key': idempotencyKey }
      return (await fetch(`${url}/v1/tickets/validate/${encodeURIComponent(code)}`, { method: 'POST', headers })).text()
    },
  }
}
