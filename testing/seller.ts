/** Sellers, keys and records for tests: each test has its own, so that none can be in another's way. */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { database, hasDatabase, openDatabase, setDatabase } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import type { Scope } from '@/lib/accounts/scopes'
import { newObjectId } from '@/lib/core/object-id'
import { type ImportName, type ImportResult, importRecords, type Reject } from '@/lib/sync/import/import'

export type Line = Record<string, unknown>

/** Opens the tests' database in this process, once. */
export function openTestDatabase(): void {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run these tests by `npm test` or `npm run unit`')
  if (!hasDatabase()) setDatabase(openDatabase({ url, max: 8, statementMs: 60_000 }))
}

export async function makeSeller(timeZone = 'UTC'): Promise<string> {
  openTestDatabase()
  const id = newObjectId()
  await database().use(({ rows }) => rows(sql`insert into sellers (id, name, time_zone) values (${id}, 'Test', ${timeZone})`))
  return id
}

export async function makeKey(sellerId: string, ...scopes: Scope[]): Promise<{ id: string; key: string }> {
  return createKey({ sellerId, name: 'Test', scopes: scopes.length > 0 ? scopes : ['full'] })
}

export type Imported = ImportResult & { rejects: Reject[] }

/** Imports text, or lines. */
export async function importText(resource: ImportName, seller: string, text: string, dropUnknown = false): Promise<Imported> {
  const rejects: Reject[] = []
  const result = await importRecords({
    resource,
    seller,
    input: Readable.from([Buffer.from(text)]),
    dropUnknown,
    onReject: (reject) => {
      rejects.push(reject)
    },
  })
  return { ...result, rejects }
}

export const importLines = (resource: ImportName, seller: string, lines: Line[]) =>
  importText(resource, seller, lines.map((line) => JSON.stringify(line)).join('\n'))

/** One seller's records, every member in use, with awkward names and codes in them. */
export const readFixture = (resource: ImportName): Line[] =>
  readFileSync(`e2e/fixtures/${resource}.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** A record as it is to come out: what went in, with the seller it was imported for, without what no one is served. */
export function asServed(line: Line, seller: string): Line {
  const { qrCode, ...record } = line
  return { ...record, sellerId: seller, updatedAt: record.updatedAt ?? record.createdAt }
}

let made = 0

/** The least that a record of a resource must have, with what the test gives. */
export function minimal(resource: ImportName, given: Line = {}): Line {
  made += 1
  const base = { id: newObjectId(), createdAt: '2026-03-01T12:00:00.000Z' }
  const rest: Record<ImportName, Line> = {
    pages: { name: 'A page' },
    coupons: { label: `Label ${made}`, code: `CODE${made}`, duration: 'once' },
    payments: { amount: 1000, status: 'paid' },
    bookings: { amount: 1000, status: 'paid' },
    subscriptions: { amount: 1000 },
    tickets: { status: 'PAID', qrCode: `code-${base.id}` },
  }
  return { ...base, ...rest[resource], ...given }
}
