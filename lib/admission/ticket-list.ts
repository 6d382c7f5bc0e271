/** The ticket list of a check-in device. The device first loads all sealed entries, and then only those that changed. */
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { checkIns, devices, pages, sellers, ticketChanges, ticketCodeKeys, tickets } from '@/db/schema'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'
import { ticketTypeName } from '../catalog/booking-id'
import { MAX_OTHERS } from '../catalog/limits'
import { ApiError } from '../core/errors'
import { mapInSlices } from '../core/slices'
import { instantText, textArray } from '../core/sql'
import { requestCodeKeys } from './code-keys'
import { isStrongCode } from './code-strength'
import { listDeviceConflicts } from './conflicts'
import type { ScanSource } from './scan-source'
import { codeDigest, deriveIndexKey, deriveKey, deriveRef, deriveSearchKey, fingerprintList, sealEntry, splitWeakKey } from './seal-ticket'
import { deriveScanKey } from './sealed-scan'
import { DOOR_PROTOCOL, encodeName, encodeTicket, type ListEntry, type SealedTicket, type TicketListPage } from './sealed-ticket'
import { signDeviceId } from './signed-device-id'

/** The number of entries per page. */
const PAGE_SIZE = 500

/**
 * Limits how many devices load their lists at a time, so that they do not take connections and CPU time from other requests. Sellers take
 * turns, and so do the devices of one seller, so that a device that floods the server does not keep others from loading their lists.
 */
const semaphore = createSharedSemaphore({
  name: 'the ticket lists of check-in devices',
  limit: 2,
  queue: 256,
  waitMs: 5_000,
  perSeller: { limit: 2, queue: 256 },
})
reportLoad('device_lists', semaphore.load)

const xid = z.string().regex(/^\d{1,20}$/)

/**
 * A device's position in its list. `since` is the oldest transaction that was running when the device's initial load or last completed
 * update began: the changes of that transaction and of later ones might be missing. A timestamp would skip transactions that commit late.
 * `settings` identifies the event settings that the entries were sealed with.
 */
const position = { list: z.string(), settings: z.string(), since: xid }
const cursorSchema = z.union([
  z.strictObject({ phase: z.literal('all'), ...position, after: z.string() }),
  z.strictObject({ phase: z.literal('changes'), ...position }),
  z.strictObject({ phase: z.literal('changes'), ...position, next: xid, afterChange: xid, after: z.string() }),
])
type Cursor = z.output<typeof cursorSchema>

const encodeCursor = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Returns undefined for an invalid cursor, such as one from another version of the server. */
function decodeCursor(text: string): Cursor | undefined {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    return undefined
  }
}

/** The device that a list is for. */
export type ListOwner = {
  sellerId: string
  deviceId: string
  /** The events of the device; undefined for all events. */
  pageIds?: readonly string[]
  /** Whether the entries contain the guests' names. */
  hasNames: boolean
  /** Whether staff may search for guests on the device. */
  maySearch: boolean
}

type Row = {
  id: string
  /** The ID of the transaction that last changed the ticket. Null in the first phase, when all tickets are read. */
  changedIn: string | null
  /** Null if the ticket was deleted. */
  code: string | null
  /** Whether the ticket is for one of the device's events, and the event permits offline check-in. */
  isListed: boolean
  /** Whether the event's settings allow the guest's name on the list (`hasName`), and finding the guest by name (`isSearchable`). */
  hasName: boolean
  isSearchable: boolean
  status: string
  checkInStatus: SealedTicket['checkInStatus']
  shortId: string | null
  pageId: string | null
  canceledAt: string | null
  type: string | null
  name: string | null
  order: string | null
  others: number
  lastStatus: SealedTicket['checkInStatus'] | null
  lastMethod: 'QRSCAN' | 'MANUAL' | null
  lastSource: ScanSource | null
  lastDay: string | null
  lastAt: string | null
  lastGate: string | null
  /** The digest and the derived key of a weak code, in hexadecimal; null if there are none. */
  digest: string | null
  bits: string | null
  /** Whether the key for the ticket's code has been requested but not derived. */
  isRequested: boolean
}

/** Returns a query for `Row`s. @param selected a query for the `id` and `changed_in` of a page of tickets */
const entryQuery = (selected: SQL, sellerId: string, isListed: SQL) => sql`
  select chosen.id, chosen.changed_in::text as "changedIn", ticket.qr_code as code, ${isListed} and coalesce(event.offline_admission, true) as "isListed",
    coalesce(event.offline_names, true) as "hasName", coalesce(event.offline_search, false) as "isSearchable",
    ticket.order_id as "order", ticket.status,
    ticket.check_in_status as "checkInStatus", ticket.record ->> 'ticketShortId' as "shortId", ticket.page_id as "pageId",
    coalesce(${instantText(sql`ticket.revoked_at`)}, ticket.record ->> 'canceledAt') as "canceledAt", ${ticketTypeName(sql`ticket`)} as type,
    ticket.record ->> 'customerName' as name, (
      select count(*)::int from (
        select from ${tickets} as same where same.seller_id = ticket.seller_id and same.id <> ticket.id
          and md5(same.order_id) = md5(ticket.order_id) and same.order_id = nullif(ticket.order_id, '') limit ${MAX_OTHERS + 1}) as counted) as others,
    last.status as "lastStatus", last.method as "lastMethod", last.source as "lastSource", to_char(last.day, 'YYYY-MM-DD') as "lastDay",
    ${instantText(sql`last.at`)} as "lastAt", gate.name as "lastGate", encode(keys.digest, 'hex') as digest, encode(keys.bits, 'hex') as bits,
    keys.ticket_id is not null and keys.bits is null as "isRequested"
  from (${selected}) as chosen
  left join ${tickets} as ticket on ticket.seller_id = ${sellerId} and ticket.id = chosen.id
  left join ${pages} as event on event.seller_id = ${sellerId} and event.id = ticket.page_id
  left join ${ticketCodeKeys} as keys on keys.seller_id = ${sellerId} and keys.ticket_id = chosen.id
  left join lateral (
    select * from ${checkIns} as entry where entry.seller_id = ${sellerId} and entry.ticket_id = chosen.id order by entry.sequence desc limit 1
  ) as last on true
  left join ${devices} as gate on gate.seller_id = ${sellerId} and gate.id = last.actor_id`

const toTicket = (row: Row, hasName: boolean): SealedTicket => {
  const { id, shortId, pageId, status, canceledAt, checkInStatus, type, name, others } = row
  const { lastStatus, lastMethod, lastSource, lastDay, lastAt, lastGate } = row
  const isCanceled = status === 'CANCELED'
  return {
    id,
    shortId,
    pageId,
    isCanceled,
    canceledAt: isCanceled ? canceledAt : null,
    checkInStatus,
    last:
      lastStatus && lastMethod && lastDay
        ? { status: lastStatus, method: lastMethod, day: lastDay, at: lastAt, gate: lastGate, source: lastSource }
        : null,
    type,
    name: hasName ? name : null,
    others,
  }
}

/** The keys of a device's list. `searchKey` is undefined if guests cannot be found by name on the device. */
type SealKeys = { indexKey: Buffer; searchKey: Buffer | undefined }

/**
 * Seals a row. Returns only its reference if the ticket is not on the list, and undefined if its code is weak and the key has not been
 * derived yet.
 */
function sealRow(row: Row, { indexKey, searchKey }: SealKeys, hasNames: boolean): ListEntry | undefined {
  const ref = deriveRef(indexKey, row.id)
  if (row.code === null || !row.isListed) return [ref.toString('base64url')]
  const isStrong = isStrongCode(row.code)
  if (!isStrong && (row.bits === null || row.digest !== codeDigest(indexKey, row.code).toString('hex'))) return undefined
  const { index, key } = isStrong ? deriveKey(indexKey, row.code) : splitWeakKey(Buffer.from(row.bits ?? '', 'hex'))
  const hasName = hasNames && row.hasName
  const sealed = sealEntry(key, ref, encodeTicket(toTicket(row, hasName && isStrong)))
  const entry: ListEntry = [ref.toString('base64url'), index.toString('base64url'), sealed.toString('base64url')]
  const { name, order, shortId, pageId } = row
  if (searchKey && hasName && row.isSearchable && name !== null)
    entry.push(
      sealEntry(searchKey, ref, encodeName({ name, order, shortId, pageId, key: key.toString('base64url') })).toString('base64url'),
    )
  return entry
}

type Snapshot = {
  /** The oldest running transaction. */
  xmin: string
  /** Identifies the database whose transactions the list's cursors refer to. */
  database: string
  /** The database's time, in ISO 8601: check-ins are ordered by its clock, and devices adjust the times of offline scans to match it. */
  now: string
  timeZone: string
  /** A digest of the event settings that differ from the defaults. */
  settings: string
  /** Whether guests of any of the device's events can be found by name. */
  hasSearch: boolean
  /** The number of tickets whose keys have been requested but not derived. */
  waiting: number
  /** The events of the device as JSON. */
  events: string | null
}

/**
 * Identifies the database: its cluster, the cluster's timeline, the database and its table of tickets. Transaction IDs are not comparable
 * after a restore, whether into another cluster, into another database, from a dump or to an earlier time.
 */
const DATABASE = sql`(
  select concat_ws(' ', system_identifier, timeline_id, (select oid from pg_database where datname = current_database()), 'tickets'::regclass::oid)
  from pg_control_system(), pg_control_checkpoint())`

/** Returns a query for a `Snapshot`. */
const snapshotQuery = ({ sellerId, pageIds }: ListOwner) => sql`
  with event as (
    select * from ${pages} where ${pages.sellerId} = ${sellerId} ${pageIds ? sql`and ${pages.id} = any(${textArray(pageIds)})` : sql``}
  )
  select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, ${DATABASE} as database, ${instantText(sql`clock_timestamp()`)} as now, ${sellers.timeZone} as "timeZone", (
    select md5(coalesce(string_agg(concat_ws(' ', id, offline_admission, offline_names, offline_search), ',' order by id), ''))
    from event where offline_search or not (offline_admission and offline_names)) as settings,
    exists (select from event where offline_search) as "hasSearch", (
    select count(*)::int from ${ticketCodeKeys} as requested
    join ${tickets} as ticket on ticket.seller_id = requested.seller_id and ticket.id = requested.ticket_id
    left join ${pages} as ticket_event on ticket_event.seller_id = ticket.seller_id and ticket_event.id = ticket.page_id
    where requested.seller_id = ${sellerId} and requested.bits is null and coalesce(ticket_event.offline_admission, true)
      ${pageIds ? sql`and ticket.page_id = any(${textArray(pageIds)})` : sql``}) as waiting, (
    select json_agg(json_build_object('id', id, 'name', name, 'entryPolicy', entry_policy, 'offlineAdmission', offline_admission) order by name, id)::text
    from event) as events
  from ${sellers} where ${sellers.id} = ${sellerId}`

/** Returns a query for the `id` and `changed_in` of the page of tickets after a cursor. */
function selectTickets({ sellerId, pageIds }: ListOwner, cursor: Cursor): SQL {
  if (cursor.phase === 'all') {
    return sql`select id, null::xid8 as changed_in from ${tickets} where ${tickets.sellerId} = ${sellerId} and ${tickets.id} > ${cursor.after}
      ${pageIds ? sql`and ${tickets.pageId} = any(${textArray(pageIds)})` : sql``} order by ${tickets.id} limit ${PAGE_SIZE}`
  }
  const after = 'next' in cursor ? sql`and (changed_in, ticket_id) > (${cursor.afterChange}::xid8, ${cursor.after})` : sql``
  // A restored database may contain transaction IDs from its old server that this server has not reached yet.
  return sql`select ticket_id as id, changed_in from ${ticketChanges} where ${ticketChanges.sellerId} = ${sellerId}
    and changed_in >= ${cursor.since}::xid8 and changed_in < pg_snapshot_xmax(pg_current_snapshot()) ${after} order by changed_in, ticket_id limit ${PAGE_SIZE}`
}

/**
 * Returns the cursor after a page, and whether another page follows immediately. The last page of all tickets is followed by the changes
 * made while they were loaded, because a list without them is not up to date.
 *
 * @param xmin the oldest transaction that was running before the page was read
 */
function cursorAfter(cursor: Cursor, rows: Row[], xmin: string): { cursor: Cursor; hasMore: boolean } {
  const { phase, since, list, settings } = cursor
  const unchanged = { list, settings }
  const last = rows.at(-1)
  const isFull = rows.length === PAGE_SIZE && last !== undefined
  if (phase === 'all')
    return { hasMore: true, cursor: isFull ? { phase, ...unchanged, since, after: last.id } : { phase: 'changes', ...unchanged, since } }
  const next = 'next' in cursor ? cursor.next : xmin
  return {
    hasMore: isFull,
    cursor: isFull
      ? { phase, ...unchanged, since, next, afterChange: last.changedIn ?? '0', after: last.id }
      : { phase, ...unchanged, since: next },
  }
}

/**
 * Reads a page of a device's list: first all tickets, then those that have changed since.
 *
 * @param text the cursor of the previous page; undefined for the first one
 * @throws {UnavailableError} if too many devices are loading their lists
 * @throws {ApiError} `key_invalid` if the seller does not exist
 */
export async function readTicketList(owner: ListOwner, text: string | undefined): Promise<TicketListPage> {
  const { sellerId, deviceId, hasNames, maySearch } = owner
  const previous = text === undefined ? undefined : decodeCursor(text)
  const indexKey = await deriveIndexKey(sellerId)
  const { rows, cursor, reset, snapshot } = await semaphore.run(
    sellerId,
    () =>
      database().use(async (connection) => {
        // Read before the page, so that the next update starts with everything that this page might miss.
        const [snapshot] = await connection.rows<Snapshot>(snapshotQuery(owner))
        if (!snapshot) throw new ApiError('key_invalid', 'This device is no longer registered. Ask the organizer for a new code.')
        const list = fingerprintList(indexKey, deviceId, snapshot.database)
        // The list starts over if the cursor is invalid, or comes from another key, device or database.
        const isValid = previous && previous.list === list && BigInt(previous.since) <= BigInt(snapshot.xmin)
        const { settings } = snapshot
        // If the settings have changed, every entry is sent again. The device keeps its list in the meantime, and misses no later change.
        const isSame = isValid && previous.settings === settings
        const start: Cursor = { phase: 'all', list, settings, since: isValid ? previous.since : snapshot.xmin, after: '' }
        const cursor = isSame ? previous : start
        const { pageIds } = owner
        const isListed = pageIds ? sql`coalesce(ticket.page_id = any(${textArray(pageIds)}), false)` : sql`true`
        const rows = await connection.rows<Row>(entryQuery(selectTickets(owner, cursor), sellerId, isListed))
        return { rows, cursor, reset: !isValid, snapshot }
      }),
    deviceId,
  )
  // The joins do not preserve the order.
  rows.sort((a, b) => Number(BigInt(a.changedIn ?? 0) - BigInt(b.changedIn ?? 0)) || (a.id < b.id ? -1 : 1))
  const searchKey = maySearch && hasNames && snapshot.hasSearch ? await deriveSearchKey(sellerId, deviceId) : undefined
  const entries = await mapInSlices(rows, (row) => sealRow(row, { indexKey, searchKey }, hasNames))
  const waiting = rows.filter((_, index) => entries[index] === undefined)
  const requests = waiting
    .filter(({ isRequested }) => !isRequested)
    .map(({ id, code }) => ({ ticketId: id, digest: codeDigest(indexKey, code ?? '').toString('hex') }))
  if (requests.length > 0) await requestCodeKeys(sellerId, requests)
  const after = cursorAfter(cursor, rows, snapshot.xmin)
  return {
    protocol: DOOR_PROTOCOL,
    reset,
    // If an entry cannot be sealed yet, sending only the reference removes the device's entry for the ticket's earlier code.
    entries: rows.map(({ id }, index) => entries[index] ?? [deriveRef(indexKey, id).toString('base64url')]),
    cursor: encodeCursor(after.cursor),
    hasMore: after.hasMore,
    indexKey: indexKey.toString('base64url'),
    scanKey: await deriveScanKey(sellerId),
    signedDeviceId: await signDeviceId(sellerId, deviceId),
    ...(searchKey && { searchKey: searchKey.toString('base64url') }),
    // Keys may have been requested or derived since the snapshot was read. Tickets missing from this page are waiting in any case.
    waiting: Math.max(snapshot.waiting + requests.length, waiting.length),
    ...(!after.hasMore && { conflicts: await listDeviceConflicts(sellerId, deviceId) }),
    now: snapshot.now,
    timeZone: snapshot.timeZone,
    events: JSON.parse(snapshot.events ?? '[]') as TicketListPage['events'],
  }
}
