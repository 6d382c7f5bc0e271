/** Writes tickets. Their sales data is upserted; check-ins and metadata are stored only with a new ticket. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Connection } from '@/db/client'
import { bookings, checkIns as checkInsTable, pages, tickets as table } from '@/db/schema'
import { idDigest } from '@/db/schema/columns'
import { replayImported } from '../../admission/offline-scan-facts'
import { indexOfCurrentCheckIn } from '../../admission/replay-facts'
import { MAX_CODE, MAX_METADATA } from '../../catalog/limits'
import type { EntryPolicy } from '../../catalog/pages'
import { boundedText, instant } from '../../catalog/shapes'
import { type CheckInStatus, checkIn, metadataEntry, ticketRecord } from '../../catalog/ticket'
import { textArray, textTable } from '../../core/sql'
import { dayIn } from '../../core/time'
import { redactErasedTickets } from '../erase/erased-tickets'
import { lockBookingTickets, syncBookingTickets } from './sync-booking-tickets'
import { type Conflict, compareIds, completeRecord, type RecordWriter, type Row } from './writer'

/** An imported check-in can have an exact time; the API returns only its day. */
const entrySchema = checkIn.extend({
  checkedInAt: z
    .union([z.iso.date(), instant], { error: 'must be a date such as 2026-11-21, or a timestamp such as 2026-11-21T19:30:00Z' })
    // The year 0 is valid in ISO 8601, but not in PostgreSQL.
    .refine((at) => at >= '0001', 'must be between the years 1 and 9999'),
})
type Entry = z.output<typeof entrySchema>

const lineSchema = ticketRecord
  .extend({
    qrCode: boundedText(1, MAX_CODE),
    checkIns: z.array(entrySchema).default([]),
    latestCheckIn: entrySchema.optional(),
    checkInStatus: ticketRecord.shape.checkInStatus.optional(),
    metadata: z
      .array(metadataEntry)
      .max(MAX_METADATA, `must have at most ${MAX_METADATA} entries`)
      .refine((entries) => new Set(entries.map(({ key }) => key)).size === entries.length, 'must not contain duplicate keys')
      .default([]),
  })
  .superRefine((ticket, context) => {
    const last = toHistory(ticket).at(-1)
    if (last && ticket.checkInStatus && ticket.checkInStatus !== last.status) {
      const message = `must be the status of the last check-in, ${last.status}`
      context.addIssue({ code: 'custom', path: ['checkInStatus'], message })
    }
  })

type Line = z.output<typeof lineSchema>

/** Returns the check-in history, oldest first. Some services send only its last entry, as `latestCheckIn`. */
const toHistory = ({ checkIns, latestCheckIn }: { checkIns: Entry[]; latestCheckIn?: Entry | undefined }): Entry[] =>
  checkIns.length === 0 && latestCheckIn ? [latestCheckIn] : checkIns

type TicketRow = Row & {
  code: string
  metadata: string
  status: CheckInStatus
  /** The check-in history as JSON, oldest first. */
  entries: string
  /** The ID of the ticket's booking. Like `orderId`, it is undefined instead of empty. */
  bookingId: string | undefined
  orderId: string | undefined
  pageId: string | undefined
}

/** Returns whether a check-in has only a day instead of an exact time. */
const isDay = (text: string) => text.length === 'YYYY-MM-DD'.length

/** Returns a conflict for each row with a code that another of the seller's tickets has, in the database or earlier in the batch. */
async function findConflicts({ rows: run }: Connection, seller: string, rows: TicketRow[]): Promise<Conflict[]> {
  const taken = await run<{ qrCode: string; id: string }>(sql`
    select ${table.qrCode} as "qrCode", ${table.id} as id from ${table}
    where ${table.sellerId} = ${seller} and ${table.qrCode} = any(${textArray(rows.map((row) => row.code))})`)
  const idByCode = new Map(taken.map(({ qrCode, id }) => [qrCode, id]))
  const conflicts: Conflict[] = []
  for (const { id, code } of rows) {
    const holder = idByCode.get(code)
    if (holder !== undefined && holder !== id) conflicts.push({ id, path: 'qrCode', reason: `is already used by ticket ${holder}` })
    else idByCode.set(code, id)
  }
  return conflicts
}

/** Returns the IDs of the tickets' bookings. A ticket without `chargeId` belongs to the bookings with its order ID. */
async function findBookingIds({ rows: run }: Connection, seller: string, rows: TicketRow[]): Promise<string[]> {
  const direct = rows.flatMap(({ bookingId }) => bookingId ?? [])
  const orders = rows.flatMap(({ bookingId, orderId }) => (bookingId === undefined && orderId !== undefined ? orderId : []))
  const ordered =
    orders.length === 0
      ? []
      : await run<{ id: string }>(sql`
          select id from ${bookings} as booking
          where seller_id = ${seller} and record ->> 'orderId' = any(${textArray(orders)})
            and ${idDigest(sql`seller_id`, sql`record ->> 'orderId'`)} = any(array(select ${idDigest(sql`${seller}::text`, sql`o`)} from unnest(${textArray(orders)}) as o))`)
  return [...new Set([...direct, ...ordered.map(({ id }) => id)])]
}

/** The writer for tickets. Also synchronizes the tickets of their bookings. */
export const ticketWriter: RecordWriter<TicketRow> = {
  lineSchema,
  complete: completeRecord,
  toRow(ticket) {
    const { qrCode, checkIns, latestCheckIn, checkInStatus, metadata, ...members } = ticket as Line
    const history = toHistory({ checkIns, latestCheckIn })
    return {
      id: members.id,
      record: JSON.stringify(members),
      code: qrCode,
      metadata: JSON.stringify(metadata),
      status: history.at(-1)?.status ?? checkInStatus ?? 'UNCHECKEDIN',
      entries: JSON.stringify(history),
      bookingId: members.chargeId || undefined,
      orderId: members.orderId || undefined,
      pageId: members.pageId,
    }
  },
  async write(connection, seller, unredacted) {
    const rows = await redactErasedTickets(connection, seller, unredacted)
    await lockBookingTickets(connection, seller, 'tickets')
    const conflicts = await findConflicts(connection, seller, rows)
    const conflicting = new Set(conflicts.map(({ id }) => id))
    const kept = rows.filter(({ id }) => !conflicting.has(id)).toSorted(compareIds)
    const replays = await replayHistories(connection, seller, kept)
    // One statement, so that the events of new tickets contain their history. xmax is 0 for rows that it inserted, and set for rows that it
    // updated. Only new tickets get their check-ins.
    const [result] = await connection.rows<{ written: number }>(sql`
      with written as (
        insert into ${table} (seller_id, record, qr_code, metadata, check_in_status, check_in_count, has_left, extra_inside)
        select ${seller}, line.record::json, line.qr_code::json #>> '{}', line.metadata::json, line.status, json_array_length(line.entries::json),
          line.has_left::boolean, line.extra_inside::int
        from ${textTable({
          record: kept.map((row) => row.record),
          qr_code: kept.map((row) => JSON.stringify(row.code)),
          metadata: kept.map((row) => row.metadata),
          status: kept.map((row) => row.status),
          entries: kept.map((row) => row.entries),
          has_left: replays.map(({ hasLeft }) => String(hasLeft)),
          extra_inside: replays.map(({ extraInside }) => String(extraInside)),
        })} as line
        on conflict (seller_id, id) do update set record = excluded.record, qr_code = excluded.qr_code
        where (${table.record}::text, ${table.qrCode}) is distinct from (excluded.record::text, excluded.qr_code)
        returning id, xmax = 0 as is_new
      ), history as (
        insert into ${checkInsTable} (seller_id, ticket_id, sequence, method, status, day, at, actor_id, is_current)
        select ${seller}, "ticketId", sequence, method, status, day, at, "checkedInByUserId", "isCurrent"
        from written join json_to_recordset(${JSON.stringify(await listEntries(connection, seller, kept))}::text::json)
          as entry ("ticketId" text, sequence int, method text, status text, day date, at timestamptz, "checkedInByUserId" text, "isCurrent" boolean)
          on "ticketId" = written.id and is_new
      )
      select count(*)::int as written from written`)
    const bookingIds = await findBookingIds(connection, seller, kept)
    if (bookingIds.length > 0) await syncBookingTickets(connection, seller, bookingIds)
    return { written: result?.written ?? 0, conflicts }
  },
}

/** Replays the tickets' histories by the rule for scans that devices report late, and by the entry policies of their events. */
async function replayHistories({ rows: run }: Connection, seller: string, rows: TicketRow[]) {
  const pageIds = rows.flatMap(({ entries, pageId }) => (entries === '[]' ? [] : (pageId ?? [])))
  const found =
    pageIds.length === 0
      ? []
      : await run<{ id: string; entryPolicy: EntryPolicy }>(sql`
          select id, ${pages.entryPolicy} as "entryPolicy" from ${pages}
          where ${pages.sellerId} = ${seller} and id = any(${textArray([...new Set(pageIds)])})`)
  const policies = new Map(found.map(({ id, entryPolicy }) => [id, entryPolicy]))
  return rows.map(({ id, status, entries, pageId = '' }) => {
    const history = (JSON.parse(entries) as Entry[]).map(({ checkedInAt, checkedInByUserId, ...entry }) => ({
      ...entry,
      at: isDay(checkedInAt) ? null : checkedInAt,
      actorId: checkedInByUserId ?? null,
    }))
    return replayImported({ id, checkInStatus: status }, history, policies.get(pageId) ?? null)
  })
}

/** Returns the entries of the tickets' histories, as rows of `check_ins`. */
async function listEntries({ rows: run }: Connection, seller: string, rows: TicketRow[]) {
  const withHistory = rows.filter(({ entries }) => entries !== '[]')
  if (withHistory.length === 0) return []
  const [sellerRow] = await run<{ timeZone: string }>(sql`select time_zone as "timeZone" from sellers where id = ${seller}`)
  const timeZone = sellerRow?.timeZone ?? 'UTC'
  return withHistory.flatMap((row) => {
    const history = JSON.parse(row.entries) as Entry[]
    const current = indexOfCurrentCheckIn(history.map(({ status }) => status))
    return history.map(({ checkedInAt, ...rest }, index) => ({
      ...rest,
      ticketId: row.id,
      sequence: index + 1,
      day: isDay(checkedInAt) ? checkedInAt : dayIn(timeZone, new Date(checkedInAt)),
      at: isDay(checkedInAt) ? null : checkedInAt,
      isCurrent: index === current,
    }))
  })
}
