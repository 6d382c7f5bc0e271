/** Exports a seller's records as lines that the importer reads: in a stable order, without the seller's ID or secret members. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { checkIns, pages, products, tickets } from '@/db/schema'
import { resources } from '../../catalog'
import type { RecordTable } from '../../catalog/resource'
import type { CheckInStatus, MetadataEntry, StoredTicket } from '../../catalog/ticket'
import { dayText, instantText } from '../../core/sql'
import { pageJson } from '../../listing/checkout-page-list'
import { keyset } from '../../listing/keyset'
import type { ImportName } from '../import/import'

/** The maximum number of rows read per query. */
const BATCH = 1000

/** The position of a row in the export: the values of its sort columns. `at` is empty for products, which are sorted only by ID. */
type Position = { at: string; id: string }

/** Reads the next rows after a position, or the first ones, in an order that does not depend on when they were written. */
type Source = (sellerId: string, after: Position | undefined) => Promise<(Position & { line: string })[]>

type ListedTable = RecordTable | typeof pages | typeof tickets
type ExportTable = ListedTable | typeof products

/**
 * Reads the next rows of a table after a position: the given columns, and the row's position. The cursor consists of values instead of an
 * ID, so that deleting its row does not end the export.
 */
const readNext = <Row>(table: ListedTable, columns: SQL, sellerId: string, after: Position | undefined): Promise<(Position & Row)[]> =>
  database().query<Position & Row>(sql`
    select ${table.createdAt}::text as at, ${table.id} as id, ${columns} ${keyset({
      from: table,
      order: [table.createdAt, table.id],
      where: sql`${table.sellerId} = ${sellerId}`,
      cursor: after && sql`(${after.at}::timestamptz, ${after.id})`,
      direction: 'newer',
      limit: BATCH,
    })}`)

/**
 * Parses a record and removes the seller's ID, so that the lines of two sellers with the same records are equal. The importer sets the ID.
 */
function withoutSeller(record: string): Record<string, unknown> {
  const { sellerId: _, ...rest } = JSON.parse(record) as Record<string, unknown>
  return rest
}

/** Returns the source for a table of records. Secret members are stored in a separate column, which is not exported. */
const recordSource =
  (table: RecordTable): Source =>
  async (sellerId, after) => {
    const rows = await readNext<{ record: string }>(table, sql`${table.record}::text as record`, sellerId, after)
    return rows.map(({ at, id, record }) => ({ at, id, line: JSON.stringify(withoutSeller(record)) }))
  }

const pageSource: Source = (sellerId, after) => readNext<{ line: string }>(pages, sql`${pageJson} as line`, sellerId, after)

/** Products have no creation time, and are exported in order of their IDs. */
const productSource: Source = async (sellerId, after) =>
  database().use(async ({ rows }) => {
    const found = await rows<{ id: string; name: string }>(sql`
      select id, name from ${products}
      where ${products.sellerId} = ${sellerId} and ${products.id} > ${after?.id ?? ''} order by ${products.id} limit ${BATCH}`)
    return found.map(({ id, name }) => ({ at: '', id, line: JSON.stringify({ id, name }) }))
  })

type TicketRow = {
  record: string
  qrCode: string
  metadata: string
  checkInStatus: CheckInStatus
  /** When the ticket was last changed at check-in or restored by its booking, if ever. */
  changedAt: string | null
  /** The check-in history as JSON; null if it is empty. */
  entries: string | null
}

/** Selects a ticket's history, with the exact time of each entry if known. The importer derives the day, in its seller's time zone. */
const history = sql`(
  select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', coalesce(${instantText(sql`at`)}, ${dayText(sql`day`)}),
    'checkedInByUserId', actor_id, 'status', status)) order by sequence)::text
  from ${checkIns} where ${checkIns.sellerId} = ${tickets.sellerId} and ${checkIns.ticketId} = ${tickets.id})`

/** Returns a ticket's line without a cancellation by its booking, because importing the booking cancels the ticket again. */
function ticketLine({ record, qrCode, metadata, checkInStatus, changedAt, entries }: TicketRow): string {
  const { sellerId: _, createdAt, updatedAt, ...members } = JSON.parse(record) as StoredTicket
  return JSON.stringify({
    ...members,
    qrCode,
    checkIns: JSON.parse(entries ?? '[]') as unknown[],
    checkInStatus,
    metadata: JSON.parse(metadata) as MetadataEntry[],
    createdAt,
    updatedAt: changedAt !== null && changedAt > updatedAt ? changedAt : updatedAt,
  })
}

const ticketColumns = sql`${tickets.record}::text as record, ${tickets.qrCode} as "qrCode", ${tickets.metadata}::text as metadata,
  ${tickets.checkInStatus} as "checkInStatus", ${instantText(sql`greatest(${tickets.doorAt}, ${tickets.reinstatedAt})`)} as "changedAt",
  ${history} as entries`

const ticketSource: Source = async (sellerId, after) => {
  const rows = await readNext<TicketRow>(tickets, ticketColumns, sellerId, after)
  return rows.map((row) => ({ at: row.at, id: row.id, line: ticketLine(row) }))
}

/** Returns the table of a resource, and the function that reads its lines. */
function getSource(name: ImportName): { table: ExportTable; read: Source } {
  if (name === 'pages') return { table: pages, read: pageSource }
  if (name === 'products') return { table: products, read: productSource }
  if (name === 'tickets') return { table: tickets, read: ticketSource }
  const { table } = resources[name]
  return { table, read: recordSource(table) }
}

/**
 * Yields a seller's records as JSON strings, oldest first (products by ID). If another seller imports and exports them again, the strings
 * are the same. Secret members are omitted; a ticket includes its code, check-ins and metadata.
 *
 * @throws {UnavailableError} if the database becomes unreachable
 */
export async function* exportRecords(resource: ImportName, sellerId: string): AsyncGenerator<string> {
  const { read } = getSource(resource)
  for (let after: Position | undefined; ; ) {
    const rows = await read(sellerId, after)
    for (const { line } of rows) yield line
    if (rows.length < BATCH) return
    after = rows.at(-1)
  }
}

/** Returns the number of records that `exportRecords` yields. */
export async function countExport(resource: ImportName, sellerId: string): Promise<number> {
  const { table } = getSource(resource)
  const [row] = await database().query<{ total: number }>(
    sql`select count(*)::int as total from ${table} where ${table.sellerId} = ${sellerId}`,
  )
  return row?.total ?? 0
}
