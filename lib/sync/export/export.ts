/** Writes a seller's records out as lines that the importer reads: oldest first, each whole, without whose they are. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { checkIns, pages, tickets } from '@/db/schema'
import { resources } from '../../catalog'
import type { RecordTable } from '../../catalog/resource'
import { type CheckInStatus, factsOf, type MetadataEntry } from '../../catalog/ticket'
import type { ImportName } from '../import/import'

const BATCH = 1000

const iso = (instant: SQL) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

type Exported = { id: string; line: string }

/** Rows of one seller behind the cursor, in an order that does not depend on when they were written. */
type Source = (seller: string, after: string | undefined) => Promise<Exported[]>

const behind = (table: RecordTable | typeof pages | typeof tickets, seller: string, after: string | undefined) => sql`
  ${table.sellerId} = ${seller}
  ${
    after === undefined
      ? sql``
      : sql`and (${table.createdAt}, ${table.id}) > (select created_at, id from ${table} where seller_id = ${seller} and id = ${after})`
  }
  order by ${table.createdAt}, ${table.id} limit ${BATCH}`

/** The importer says whose a record is; a line that said it too would differ from seller to seller. */
function withoutSeller(record: string): Record<string, unknown> {
  const { sellerId: _, ...rest } = JSON.parse(record) as Record<string, unknown>
  return rest
}

/** The stored record alone: its secret members stand in another column, and are shown to nobody here. */
const recordSource =
  (table: RecordTable): Source =>
  async (seller, after) => {
    const rows = await database().use((connection) =>
      connection.rows<{ id: string; record: string }>(
        sql`select ${table.id} as id, ${table.record}::text as record from ${table} where ${behind(table, seller, after)}`,
      ),
    )
    return rows.map(({ id, record }) => ({ id, line: JSON.stringify(withoutSeller(record)) }))
  }

const pageSource: Source = async (seller, after) => {
  const rows = await database().use((connection) =>
    connection.rows<{ id: string; name: string; entryPolicy: string; createdAt: string }>(
      sql`select ${pages.id} as id, ${pages.name} as name, ${pages.entryPolicy} as "entryPolicy", ${iso(sql`${pages.createdAt}`)} as "createdAt"
        from ${pages} where ${behind(pages, seller, after)}`,
    ),
  )
  return rows.map((page) => ({ id: page.id, line: JSON.stringify(page) }))
}

type TicketRow = {
  id: string
  record: string
  qrCode: string
  metadata: string
  checkInStatus: CheckInStatus
  doorAt: string | null
  revokedAt: string | null
  entries: string | null
}

/** An entry with its instant, where that is known: the day follows from it, in the time zone of whoever imports it. */
const history = sql`(
  select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', coalesce(${iso(sql`at`)}, to_char(day, 'YYYY-MM-DD')),
    'checkedInByUserId', actor_id, 'status', status)) order by sequence)::text
  from ${checkIns} where ${checkIns.sellerId} = ${tickets.sellerId} and ${checkIns.ticketId} = ${tickets.id})`

function ticketLine({ record, qrCode, metadata, checkInStatus, doorAt, revokedAt, entries }: TicketRow): string {
  const { sellerId: _, createdAt, updatedAt, ...facts } = factsOf(record, revokedAt)
  return JSON.stringify({
    ...facts,
    qrCode,
    checkIns: JSON.parse(entries ?? '[]') as unknown[],
    checkInStatus,
    metadata: JSON.parse(metadata) as MetadataEntry[],
    createdAt,
    updatedAt: doorAt !== null && doorAt > updatedAt ? doorAt : updatedAt,
  })
}

const ticketSource: Source = async (seller, after) => {
  const rows = await database().use((connection) =>
    connection.rows<TicketRow>(
      sql`select ${tickets.id} as id, ${tickets.record}::text as record, ${tickets.qrCode} as "qrCode", ${tickets.metadata}::text as metadata,
          ${tickets.checkInStatus} as "checkInStatus", ${iso(sql`${tickets.doorAt}`)} as "doorAt",
          ${iso(sql`${tickets.revokedAt}`)} as "revokedAt", ${history} as entries
        from ${tickets} where ${behind(tickets, seller, after)}`,
    ),
  )
  return rows.map((row) => ({ id: row.id, line: ticketLine(row) }))
}

const sources: Record<ImportName, Source> = {
  pages: pageSource,
  coupons: recordSource(resources.coupons.table),
  payments: recordSource(resources.payments.table),
  bookings: recordSource(resources.bookings.table),
  subscriptions: recordSource(resources.subscriptions.table),
  tickets: ticketSource,
}

/**
 * A seller's records, one JSON text each, oldest first. Imported by another seller and exported again, they are the same texts.
 * Secret members are left out, as everywhere but in the API; a ticket carries its code and what happened at the door.
 *
 * @throws {Unavailable} where the database goes away
 */
export async function* exportRecords(resource: ImportName, seller: string): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const rows = await sources[resource](seller, after)
    for (const { line } of rows) yield line
    if (rows.length < BATCH) return
    after = rows.at(-1)?.id
  }
}

/** How many records an export will have. */
export async function countExport(resource: ImportName, seller: string): Promise<number> {
  const table = resource === 'pages' ? pages : resource === 'tickets' ? tickets : resources[resource].table
  const [row] = await database().use(({ rows }) =>
    rows<{ total: number }>(sql`select count(*)::int as total from ${table} where ${table.sellerId} = ${seller}`),
  )
  return row?.total ?? 0
}
