/** One ticket, opened at the door: its history with who and why, what is noted on it, and what else is of its order. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { getPool } from '@/db/pools'
import { apiKeys, checkIns, sellers, tickets, users } from '@/db/schema'
import { type CheckIn, MAX_METADATA, type MetadataEntry } from '../catalog/ticket'
import { ApiError } from '../core/errors'
import { instantText } from '../core/sql'
import { sayWhen } from './check-in-time'
import { type Guest, readGuests } from './guests'

export type HistoryEntry = {
  /** 1 for the first. */
  sequence: number
  status: CheckIn['status']
  method: CheckIn['method']
  when: string
  /** A user's e-mail address or a key's name. */
  who?: string
  /** Why it was undone. */
  reason?: string
}

export type OpenedTicket = {
  guest: Guest
  metadata: MetadataEntry[]
  /** Whether it holds as many entries as it may. */
  full: boolean
  /** In the order in which it happened. */
  history: HistoryEntry[]
  /** The other tickets of its order, of the door's event alone where it has one. */
  others: Guest[]
  /** Whether the order has more than are given. */
  more: boolean
}

/** An order of more is checked in by the scanner. */
const MOST_OTHERS = 50

type Row = { metadata: string; timeZone: string; order: string | null; charge: string | null }
type EntryRow = Omit<HistoryEntry, 'when' | 'who' | 'reason'> & {
  day: string
  at: string | null
  who: string | null
  reason: string | null
}

const readHistory = ({ rows }: Connection, seller: string, ticketId: string) =>
  rows<EntryRow>(sql`
    select entry.sequence, entry.status, entry.method, to_char(entry.day, 'YYYY-MM-DD') as day, ${instantText(sql`entry.at`)} as at, entry.reason,
      coalesce(
        (select ${users.email} from ${users} where ${users.sellerId} = ${seller} and ${users.id} = entry.actor_id),
        (select ${apiKeys.name} from ${apiKeys} where ${apiKeys.sellerId} = ${seller} and ${apiKeys.id} = entry.actor_id)) as who
    from ${checkIns} as entry where entry.seller_id = ${seller} and entry.ticket_id = ${ticketId} order by entry.sequence`)

/** A ticket without an order's id belongs with those of the same charge. */
async function readOthers(
  connection: Connection,
  seller: string,
  ticketId: string,
  { order, charge }: Row,
  pageId: string | undefined,
): Promise<Guest[]> {
  if (order === null && charge === null) return []
  const same =
    order === null
      ? sql`${tickets.orderId} is null and md5(${tickets.record} ->> 'chargeId') = md5(${charge}) and ${tickets.record} ->> 'chargeId' = ${charge}`
      : sql`md5(${tickets.orderId}) = md5(${order}) and ${tickets.orderId} = ${order}`
  return readGuests(
    connection,
    sql`
    select ${tickets}.*, row_number() over (order by ${tickets.record} ->> 'ticketShortId', ${tickets.id}) as rank from ${tickets}
    where ${tickets.sellerId} = ${seller} and ${same} and ${tickets.id} <> ${ticketId}
      ${pageId === undefined ? sql`` : sql`and ${tickets.pageId} = ${pageId}`}
    order by rank limit ${MOST_OTHERS + 1}`,
  )
}

/**
 * @param pageId the door's event; every event of the seller where it is undefined
 * @throws {ApiError} `ticket_not_found` where the seller has none of this id
 */
export function openTicket(seller: string, ticketId: string, pageId: string | undefined): Promise<OpenedTicket> {
  return getPool('doors').use(async (connection) => {
    const mine = sql`${tickets.sellerId} = ${seller} and ${tickets.id} = ${ticketId}`
    const [[guest], [row], entries] = await Promise.all([
      readGuests(connection, sql`select ${tickets}.*, 0 as rank from ${tickets} where ${mine}`),
      connection.rows<Row>(sql`
        select ${tickets.metadata}::text as metadata, ${tickets.orderId} as "order", ${tickets.record} ->> 'chargeId' as charge,
          (select ${sellers.timeZone} from ${sellers} where ${sellers.id} = ${seller}) as "timeZone"
        from ${tickets} where ${mine}`),
      readHistory(connection, seller, ticketId),
    ])
    if (!guest || !row) throw new ApiError('ticket_not_found', 'This ticket is not there any more. Look the guest up again.', 'id')
    const others = await readOthers(connection, seller, ticketId, row, pageId)
    const metadata = JSON.parse(row.metadata) as MetadataEntry[]
    return {
      guest,
      metadata,
      full: metadata.length >= MAX_METADATA,
      history: entries.map(({ sequence, status, method, day, at, who, reason }) => ({
        sequence,
        status,
        method,
        when: sayWhen(day, at === null ? undefined : new Date(at), row.timeZone),
        ...(who === null ? {} : { who }),
        ...(reason === null ? {} : { reason }),
      })),
      others: others.slice(0, MOST_OTHERS),
      more: others.length > MOST_OTHERS,
    }
  })
}
