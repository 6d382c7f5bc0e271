/** Redacts tickets of erased people that are written after the erasure. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { tickets } from '@/db/schema'
import { textArray } from '../../core/sql'
import { getIdentifiers, type Identifiers, type PersonalRecord, redactErased } from './erased-people'

type Ticket = PersonalRecord & { customerName?: string; chargeId?: string; orderId?: string }

/** Returns the names on stored tickets by ticket ID. */
async function readNames({ rows }: Connection, seller: string, ids: string[]): Promise<Map<string, string | null>> {
  const found = await rows<{ id: string; name: string | null }>(
    sql`select id, record ->> 'customerName' as name from ${tickets} where seller_id = ${seller} and id = any(${textArray(ids)})`,
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}

/**
 * Redacts tickets like `redactErased`. A ticket without an email address also belongs to the person if its booking does, unless the stored
 * ticket has the same name, in which case the erasure kept the ticket as another guest's.
 *
 * @param rows rows whose `record` and `metadata` are JSON
 */
export const redactErasedTickets = <R extends { record: string; metadata: string }>(connection: Connection, seller: string, rows: R[]) =>
  redactErased(connection, seller, rows, async (records: Ticket[]) => {
    const names = await readNames(
      connection,
      seller,
      records.map(({ id }) => id),
    )
    return records.map((ticket): Identifiers => {
      const { id, customerEmail, customerName, chargeId, orderId } = ticket
      const isKeptGuest = customerName !== undefined && names.get(id) === customerName
      if (customerEmail || isKeptGuest) return getIdentifiers(ticket)
      return { ...getIdentifiers(ticket), ...(chargeId ? { bookingId: chargeId } : { orderId }) }
    })
  })
