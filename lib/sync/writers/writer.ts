/** Defines record writers, which convert lines to rows and write the rows. */
import type { z } from 'zod'
import type { Connection } from '@/db/client'
import type { DerivedCustomer } from './derived-customers'

/** A valid line in the format that is written to the database. */
export type Row = {
  id: string
  /** The record's JSON, without secret members and without a ticket's code, check-ins and metadata. */
  record: string
  /** The record's secret members as JSON, or null if it has none. Undefined for resources without secrets. */
  secrets?: string | null
  /** A ticket's QR code, unique per seller like the ID. */
  code?: string
  /** The customer that an order references. */
  customer?: DerivedCustomer | undefined
}

/** The ID of a row that could not be written, the path of the invalid member, and the reason, such as a duplicate code. */
export type Conflict = { id: string; path: string; reason: string }

export type RecordWriter<R extends Row = Row> = {
  /** The schema of a line. The members of its output are in the spec's order, so that equal records are equal strings. */
  lineSchema: z.ZodType<Record<string, unknown>>
  /** Sets the members whose values do not come from the line, such as the seller's ID. */
  complete(line: Record<string, unknown>, seller: string): void
  /** Converts a valid line to a row. */
  toRow(line: Record<string, unknown>): R
  /** Upserts rows with distinct IDs. @returns the number of new or changed rows, and the rows that could not be written */
  write(connection: Connection, seller: string, rows: R[]): Promise<{ written: number; conflicts: Conflict[] }>
}

/** Sets the seller, and sets `updatedAt` to `createdAt` if it is absent. */
export function completeRecord(line: Record<string, unknown>, seller: string): void {
  line.sellerId = seller
  line.updatedAt ??= line.createdAt
}

/** Compares rows by ID. Writers sort their rows with it, so that concurrent writers lock them in the same order and cannot deadlock. */
export const compareIds = (a: Row, b: Row) => (a.id < b.id ? -1 : 1)
