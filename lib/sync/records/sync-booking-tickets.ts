/** Brings the tickets of bookings in line with them: made where a booking came without, canceled where its money went back. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Connection } from '@/db/client'
import { bookings as bookingsTable, tickets } from '@/db/schema'
import { ticketsOf } from '../../admission/booking-tickets'
import type { bookings } from '../../catalog/bookings'
import type { TicketFacts } from '../../catalog/ticket'
import { newObjectId } from '../../core/object-id'
import { lines } from './lines'

type Booking = z.output<typeof bookings.record>

/** The states in which a booking's guests are expected. A partial refund does not say whose seat it was for, so it ends none. */
const STANDING = ['paid', 'partial_refund']
const GONE = ['refunded', 'canceled']

/** A booking of more is taken for a mistake, and gets none made. */
const MOST_SEATS = 1000
const CODE_BYTES = 16
/** Tickets in one statement. */
const BATCH = 2000

type Known = {
  status: Booking['status']
  updatedAt: string
  /** Where its guests are expected, and none of its tickets came from elsewhere. */
  record: string | null
  tickets: { id: string; type: string | null; made: boolean; touched: boolean; revoked: boolean }[] | null
}

/**
 * Orders those who write tickets and those who write bookings, so that neither misses what the other is about to commit:
 * tickets among themselves, and each batch of bookings alone. To be asked before any row of `tickets` is locked.
 */
export function takeTurn({ rows }: Connection, seller: string, writing: 'tickets' | 'bookings'): Promise<unknown> {
  const lock = sql.raw(writing === 'tickets' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  // A turn comes for certain: the statement's own time bounds the wait, where a lock's would have the batch begun anew. And a plan that
  // was made while there were few tickets is not kept until there are many.
  return rows(sql`
    select set_config('lock_timeout', '0', true), set_config('plan_cache_mode', 'force_custom_plan', true), ${lock}(hashtextextended(${seller}, 0))`)
}

const readBookings = ({ rows }: Connection, seller: string, ids: string[]) =>
  rows<Known>(sql`
    select booking.status, booking.record ->> 'updatedAt' as "updatedAt", theirs.tickets,
      case when theirs.came is not true and booking.status = any(${sql.param(STANDING)}::text[]) then booking.record::text end as record
    from ${bookingsTable} as booking cross join lateral (
      select bool_or(not made) as came, json_agg(json_build_object(
        'id', id, 'type', ticket.record ->> 'ticketTypeId', 'made', made, 'touched', door_at is not null, 'revoked', revoked_at is not null)) as tickets
      from ${ticketsOf(seller, sql`booking.id`, sql`(booking.record ->> 'orderId')`)} as ticket
    ) as theirs
    where booking.seller_id = ${seller} and booking.id = any(${sql.param(ids)}::text[])
      and booking.status = any(${sql.param([...STANDING, ...GONE])}::text[])`)

/** A ticket for each seat that the booking's lines say. A line that says no quantity is one. */
function* ticketsFor(booking: Booking, now: Date): Generator<TicketFacts> {
  const { id: chargeId, sellerId, pageId, orderId, billing, customerEmail, currency, livemode, createdAt } = booking
  const quantities = booking.tickets.map(({ quantity = 1 }) => quantity)
  const seats = quantities.reduce((sum, quantity) => sum + quantity, 0)
  if (!quantities.every((quantity) => Number.isInteger(quantity) && quantity >= 0) || seats > MOST_SEATS) return
  const madeAt = now.toISOString()
  for (const [index, { ticketTypeId, price, originalPrice, bookingFeeAmount }] of booking.tickets.entries()) {
    for (let seat = 0; seat < (quantities[index] ?? 0); seat += 1) {
      const id = newObjectId(now)
      yield {
        id,
        sellerId,
        chargeId,
        pageId,
        status: 'PAID',
        orderId,
        customerName: billing?.name,
        customerEmail,
        ticketTypeId,
        ticketShortId: id.slice(-8).toUpperCase(),
        originalPrice: originalPrice ?? price,
        discountAmount: originalPrice !== undefined && price !== undefined ? originalPrice - price : undefined,
        feeAmount: bookingFeeAmount,
        revenue: price,
        currency,
        livemode,
        orderedAt: createdAt,
        createdAt: madeAt,
        updatedAt: madeAt,
      }
    }
  }
}

/** What a booking's seats lack: one that grew gets as many more as it has seats more, first of the types that it has too few of. */
function lacking(booking: Booking, have: string[], now: Date): TicketFacts[] {
  const seats = [...ticketsFor(booking, now)]
  const most = Math.max(0, seats.length - have.length)
  for (const type of have) {
    const found = seats.findIndex(({ ticketTypeId }) => (ticketTypeId ?? '') === type)
    if (found !== -1) seats.splice(found, 1)
  }
  return seats.slice(0, most)
}

async function makeTickets({ rows }: Connection, seller: string, known: Known[]): Promise<void> {
  const now = new Date()
  const made = known.flatMap(({ record, tickets: theirs }) =>
    record === null
      ? []
      : lacking(
          JSON.parse(record) as Booking,
          (theirs ?? []).map(({ type }) => type ?? ''),
          now,
        ),
  )
  for (let at = 0; at < made.length; at += BATCH) {
    const batch = made.slice(at, at + BATCH)
    const codes = batch.map(() => randomBytes(CODE_BYTES).toString('hex').toUpperCase())
    await rows(sql`
      insert into ${tickets} (seller_id, record, qr_code, made)
      select ${seller}, line.record::json, line.code, true
      from ${lines({ record: batch.map((ticket) => JSON.stringify(ticket)), code: codes })} as line`)
  }
}

/** What happened at the door stays: a ticket that has been there is not taken back. */
const takeBack = ({ rows }: Connection, seller: string, ids: string[]) =>
  rows(sql`delete from ${tickets} where seller_id = ${seller} and id = any(${sql.param(ids)}::text[]) and door_at is null`)

const revoke = ({ rows }: Connection, seller: string, changes: { id: string; since: string | null }[]) =>
  rows(sql`
    update ${tickets} set revoked_at = change.since
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as change (id text, since timestamptz)
    where seller_id = ${seller} and ${tickets.id} = change.id`)

/**
 * Settles the tickets of bookings, in the transaction that wrote either. A paid booking without any gets one made for each seat, and for
 * each seat that it has more of later; they give way to tickets that come for it. All are canceled while it is refunded or canceled, and hold again if it is paid again.
 * Settled twice, nothing changes.
 *
 * @param ids of bookings; those that the seller does not have are passed over
 */
export async function settleTickets(connection: Connection, seller: string, ids: string[]): Promise<void> {
  const known = await readBookings(connection, seller, ids)
  const replaced: string[] = []
  const changes: { id: string; since: string | null }[] = []
  for (const { status, updatedAt, tickets: theirs } of known) {
    const gone = GONE.includes(status)
    const haveCome = theirs?.some(({ made }) => !made)
    for (const { id, made, touched, revoked } of theirs ?? []) {
      if (made && haveCome && !touched) replaced.push(id)
      else if (revoked !== gone) changes.push({ id, since: gone ? updatedAt : null })
    }
  }
  await makeTickets(connection, seller, known)
  if (replaced.length > 0) await takeBack(connection, seller, replaced)
  if (changes.length > 0) await revoke(connection, seller, changes)
}
