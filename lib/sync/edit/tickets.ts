/** Changes tickets, for the API and the dashboard. */
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Connection } from '@/db/client'
import { tickets as table } from '@/db/schema'
import { type Editor, writeAudit } from '../../accounts/audit'
import { mergeMetadata } from '../../admission/decide'
import { type Ticket, ticketRecord } from '../../catalog/ticket'
import type { updateTicketBody } from '../../catalog/ticket-operations'
import { ApiError } from '../../core/errors'
import { editUnchanged, setChangeTime } from './edit-record'

export type TicketPatch = z.output<typeof updateTicketBody>

/** Returns the condition for a ticket. */
const isTicket = (sellerId: string, id: string) => sql`${table.sellerId} = ${sellerId} and ${table.id} = ${id}`

/** Returns a ticket's JSON as the API returns it, without its code. */
async function readTicket({ rows }: Connection, sellerId: string, id: string): Promise<string | undefined> {
  const [row] = await rows<{ record: string }>(
    sql`select desk_ticket(${table})::text as record from ${table} where ${isTicket(sellerId, id)}`,
  )
  return row?.record
}

/**
 * Locks a ticket and returns its JSON, or undefined if the seller has no such ticket. A second statement reads the ticket, so that it sees
 * the check-ins that the previous holder of the lock committed.
 */
export async function lockTicket(connection: Connection, sellerId: string, id: string): Promise<string | undefined> {
  const locked = await connection.rows(sql`select 1 from ${table} where ${isTicket(sellerId, id)} for no key update`)
  return locked.length === 0 ? undefined : readTicket(connection, sellerId, id)
}

/** Returns the JSON of a locked ticket's stored record with changed members. @param members the members to change; null removes a member */
async function patchStored({ rows }: Connection, sellerId: string, id: string, members: Record<string, unknown>): Promise<string> {
  const [row] = await rows<{ record: string }>(sql`select record::text as record from ${table} where ${isTicket(sellerId, id)}`)
  const patched: Record<string, unknown> = { ...JSON.parse(row?.record ?? '{}'), ...members }
  // Members are in the schema's order, as the importer stores them, so that equal records are equal strings.
  const names = Object.keys(ticketRecord.shape).filter((name) => (patched[name] ?? null) !== null)
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, patched[name]])))
}

/**
 * Changes a locked ticket. The audit log lists the names of the changed members, but contains no personal data.
 *
 * @param current the result of `lockTicket`
 * @returns the ticket's JSON
 * @throws {ApiError} `body_invalid` if the patch contains metadata and the ticket is canceled
 * @throws {TooMuchMetadataError} if the patch adds more metadata than a ticket can have
 */
export async function updateTicket(
  connection: Connection,
  sellerId: string,
  by: Editor,
  current: string,
  { metadata: entries = [], ...members }: TicketPatch,
): Promise<string> {
  const ticket = JSON.parse(current) as Ticket
  const { id } = ticket
  if (entries.length > 0 && ticket.status === 'CANCELED')
    throw new ApiError(
      'body_invalid',
      'The metadata of a canceled ticket cannot be changed. Send the other members without it.',
      'metadata',
    )
  const now = new Date(await setChangeTime(connection))
  const { metadata, isChanged } = mergeMetadata(ticket.metadata, entries, now)
  const before: Record<string, unknown> = ticket
  const changed = Object.entries(members).filter(([name, value]) => value !== undefined && (before[name] ?? null) !== value)
  const names = [...changed.map(([name]) => name), ...(isChanged ? ['metadata'] : [])]
  if (names.length === 0) return current
  const updatedAt = now.toISOString() > ticket.updatedAt ? now.toISOString() : ticket.updatedAt
  const record = await patchStored(connection, sellerId, id, { ...Object.fromEntries(changed), updatedAt })
  await connection.rows(sql`
    update ${table} set record = ${record}::text::json, metadata = ${JSON.stringify(metadata)}::text::json
    where ${isTicket(sellerId, id)}`)
  const subject = ticket.ticketShortId || id
  await writeAudit(connection, { sellerId, by, action: 'ticket.changed', subject, recordId: id, changes: { members: { after: names } } })
  return (await readTicket(connection, sellerId, id)) ?? current
}

/** Changes a ticket in the dashboard. Throws the same errors as `updateTicket`. */
export const editTicket = editUnchanged(lockTicket, updateTicket)
