/** What can be imported, and how a line of it becomes a row. */
import type { z } from 'zod'
import type { Connection } from '@/db/client'

/** One checked line, as its table takes it. */
export type Row = {
  id: string
  record: string
  /** What no other row of the seller may have, besides the id: a ticket's QR code. */
  code?: string
}

/** A line that stands in the way of another, found when it is written. */
export type Conflict = { id: string; path: string; reason: string }

export type Target<R extends Row = Row> = {
  /** Checks a line. Its output's members are in the spec's order, so that equal records are equal texts. */
  line: z.ZodType<Record<string, unknown>>
  /** Gives a line the members that are ours to give. */
  complete(line: Record<string, unknown>, seller: string): void
  toRow(line: Record<string, unknown>): R
  /** Whether `write` is one statement, which is a transaction by itself: two round trips less. */
  isOneStatement: boolean
  /** Upserts rows of different ids; answers how many were new or changed, and which could not be written. */
  write(connection: Connection, seller: string, rows: R[]): Promise<{ written: number; conflicts: Conflict[] }>
}

/** The seller is the importer's, whatever the line says; a record without `updatedAt` was last changed when it was made. */
export function completeRecord(line: Record<string, unknown>, seller: string): void {
  line.sellerId = seller
  line.updatedAt ??= line.createdAt
}

/** In the order of their ids, so that two imports of the same records wait for each other and do not lock up. */
export const byId = (a: Row, b: Row) => (a.id < b.id ? -1 : 1)
