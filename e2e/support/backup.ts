/** Helpers for backup tests: fills a shop from the fixtures and reads the data that a restore must preserve. */
import { expect } from 'playwright/test'
import { database, hasDatabase, openDatabase, setDatabase } from '@/db/client'
import { joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { createKey } from '@/lib/accounts/api-keys'
import { createSeller } from '@/lib/accounts/sellers'
import { importLines, readFixture } from '@/testing/seller'
import { desk } from './processes'

export type Env = Record<string, string>

/** Runs `desk` and expects it to succeed. @returns the first line of JSON it prints, or an empty object */
export async function expectDeskSuccess(args: string[], env: Env): Promise<Record<string, string>> {
  const program = desk(args, env)
  expect(await program.ended, program.output()).toBe(0)
  const line = program
    .output()
    .split('\n')
    .find((text) => text.startsWith('{'))
  return JSON.parse(line ?? '{}') as Record<string, string>
}

const RESOURCES = ['pages', 'coupons', 'customers', 'payments', 'bookings', 'subscriptions', 'tickets'] as const
const LISTS = RESOURCES.slice(1, -1).flatMap((name) => [`/v1/${name}?limit=100`, `/v1/${name}?limit=7&search=a`])

export type FilledShop = {
  /** The codes of paid tickets. */
  codes: string[]
  /** Requests several lists. @returns the response bodies; the third and fourth are customer lists */
  lists(url: string): Promise<string[]>
  /** Checks in a ticket. @returns the response body */
  scan(url: string, code: string | undefined, idempotencyKey: string): Promise<string>
}

/**
 * Creates a seller with a key and the fixtures of `RESOURCES` in the migrated database at DATABASE_URL. If DATABASE_URL is not set, uses
 * the embedded database in DATA_DIR, creating and migrating it if necessary.
 */
export async function fillShop({ DATABASE_URL, DATA_DIR = '' }: Env): Promise<FilledShop> {
  const embedded = DATABASE_URL ? undefined : await joinEmbedded(DATA_DIR)
  if (embedded) await migrateDatabase(embedded.url)
  const before = hasDatabase() ? database() : undefined
  const pool = openDatabase({ url: embedded?.url ?? String(DATABASE_URL), max: 4, statementMs: 60_000 })
  setDatabase(pool)
  const owner = { name: 'x', email: 'x@example.com', password: 'correct horse', timeZone: 'Europe/Amsterdam' }
  const { sellerId } = await createSeller(owner)
  const { key } = await createKey({ sellerId, name: 'x', scopes: ['full'] })
  for (const name of RESOURCES) expect((await importLines(name, sellerId, readFixture(name))).rejects).toEqual([])
  setDatabase(before)
  await pool.close()
  await embedded?.leave()
  const authorization = { Authorization: `Bearer ${key}` }
  return {
    codes: readFixture('tickets').flatMap(({ status, qrCode }) => (status === 'PAID' ? [String(qrCode)] : [])),
    lists: async (url) => {
      const texts: string[] = []
      // Request the lists one at a time, because a busy server sheds list requests.
      for (const path of LISTS) texts.push(await (await fetch(`${url}${path}`, { headers: authorization })).text())
      return texts
    },
    scan: async (url, code = '', idempotencyKey) => {
      const headers = { ...authorization, 'Idempotency-Key': idempotencyKey }
      return (await fetch(`${url}/v1/tickets/validate/${encodeURIComponent(code)}`, { method: 'POST', headers })).text()
    },
  }
}
