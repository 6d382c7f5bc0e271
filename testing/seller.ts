/** Creates sellers, API keys and records for tests. Each test creates its own seller so that tests do not interfere with each other. */
import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { ZodNumber, ZodString, type ZodType } from 'zod'
import { type Database, database, hasDatabase, openDatabase, setDatabase } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import type { Scope } from '@/lib/accounts/scopes'
import { type ResourceName, recordTypes, resources } from '@/lib/catalog'
import type { Resource } from '@/lib/catalog/resource'
import { newObjectId } from '@/lib/core/object-id'
import { type ImportName, type ImportResult, importRecords, type Reject } from '@/lib/sync/import/import'

/** A record as a line of an import. */
export type Line = Record<string, unknown>

/** The shared database. It stays open while a test file uses its own, because new connections have to plan every statement again. */
let shared: Database | undefined

/** Connects this process to the shared test database, unless it is already connected to a database. */
export function openTestDatabase(): void {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('TEST_DATABASE_URL is not set. Run these tests with `npm test` or `npm run unit`.')
  if (hasDatabase()) return
  shared ??= openDatabase({ url, max: 8, statementMs: 300_000 })
  setDatabase(shared)
}

/** Creates a seller. @returns its ID */
export async function makeSeller(timeZone = 'UTC'): Promise<string> {
  openTestDatabase()
  const id = newObjectId()
  await database().use(({ rows }) => rows(sql`insert into sellers (id, name, time_zone) values (${id}, 'Test', ${timeZone})`))
  return id
}

/** Creates an API key. @param scopes the scopes; full access by default */
export async function makeKey(sellerId: string, ...scopes: Scope[]): Promise<{ id: string; key: string }> {
  return createKey({ sellerId, name: 'Test', scopes: scopes.length > 0 ? scopes : ['full'] })
}

export type ImportReport = ImportResult & { rejects: Reject[] }

type ImportFlags = { dropUnknown?: boolean; events?: boolean }

/** Imports NDJSON text. */
export async function importText(resource: ImportName, seller: string, text: string, flags: ImportFlags = {}): Promise<ImportReport> {
  const rejects: Reject[] = []
  const result = await importRecords({
    resource,
    seller,
    input: Readable.from([Buffer.from(text)]),
    ...flags,
    onReject: (reject) => {
      rejects.push(reject)
    },
  })
  return { ...result, rejects }
}

export const importLines = (resource: ImportName, seller: string, lines: Line[]) =>
  importText(resource, seller, lines.map((line) => JSON.stringify(line)).join('\n'))

const getFixturePath = (resource: ImportName) => `e2e/fixtures/${resource}.ndjson`

/**
 * Returns fixture records of one seller, which set every member and contain unusual names and codes. For a resource without a fixture
 * file, returns the catalog's example without its seller.
 */
export const readFixture = (resource: ImportName): Line[] =>
  existsSync(getFixturePath(resource))
    ? readFileSync(getFixturePath(resource), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
    : recordTypes.filter(({ name }) => name === resource).map(({ example: { sellerId: _, ...line } }) => line)

/** Converts an imported line to the record that the API returns: with the seller's ID and an update time, and without a ticket code. */
export function toServedRecord(line: Line, seller: string): Line {
  const { qrCode, ...record } = line
  return { ...record, sellerId: seller, updatedAt: record.updatedAt ?? record.createdAt }
}

let madeCount = 0

/** The required members set by `minimal` or the importer. */
const ALWAYS_SET = ['id', 'sellerId', 'createdAt', 'updatedAt']

/**
 * Returns a resource's required members. Numbers are 1000 and strings are unique. For other types, and if the schema rejects such values,
 * uses the values from the catalog's example.
 */
function requiredMembers(resource: ResourceName): Line {
  const { record, example }: Resource = resources[resource]
  const required = Object.entries(record.shape).filter(
    ([name, member]) => !ALWAYS_SET.includes(name) && !(member as ZodType).safeParse(undefined).success,
  )
  return Object.fromEntries(
    required.map(([name, member]) => {
      const value = member instanceof ZodNumber ? 1000 : `${name.toUpperCase()}${madeCount}`
      const isGenerated = member instanceof ZodNumber || member instanceof ZodString
      return [name, isGenerated && member.safeParse(value).success ? value : example[name]]
    }),
  )
}

/** Returns an importable record with only the required members, plus `members`, which take precedence. */
export function minimal(resource: ImportName, members: Line = {}): Line {
  madeCount += 1
  const base = { id: newObjectId(), createdAt: '2026-03-01T12:00:00.000Z' }
  if (resource === 'products') return { id: `product-${madeCount}`, name: 'A product', ...members }
  if (resource === 'pages') return { ...base, name: 'A page', ...members }
  if (resource === 'tickets') return { ...base, status: 'PAID', qrCode: `code-${base.id}`, ...members }
  return { ...base, ...requiredMembers(resource), ...members }
}

/** Returns one function per searchable member. Each takes a value and returns a record with only that member set. */
export const searchedMembers = (resource: ResourceName): ((value: string) => Line)[] =>
  Object.keys(resources[resource].search).map(
    (path) => (value) => path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Line,
  )
