/** The interface of everything that writes records: how a line becomes a row, and how rows are written. */
import type { z } from 'zod'
import type { Connection } from '@/db/client'

/** A valid line in the form that is written. */
export type Row = {
  id: string
  record: string
  /** A ticket's QR code, unique per seller like the ID. */
  code?: string
}

/** A row that conflicts with another one, found when it is written. */
export type Conflict = { id: string; path: string; reason: string }

export type RecordWriter<R extends Row = Row> = {
  /** Validates a line. The output's members are in the spec's order, so that equal records are equal texts. */
  line: z.ZodType<Record<string, unknown>>
  /** Sets the members that the importer decides. */
  complete(line: Record<string, unknown>, seller: string): void
  toRow(line: Record<string, unknown>): R
  /** True if `write` is one statement, which needs no explicit transaction. */
  isOneStatement: boolean
  /** Upserts rows with distinct ids. @returns how many were new or changed, and which could not be written */
  write(connection: Connection, seller: string, rows: R[]): Promise<{ written: number; conflicts: Conflict[] }>
}

/** Sets the seller, and `updatedAt` to `createdAt` if the line has none. */
export function completeRecord(line: Record<string, unknown>, seller: string): void {
  line.sellerId = seller
  line.updatedAt ??= line.createdAt
}

/** Orders rows by ID, so that concurrent imports lock them in the same order and cannot deadlock. */
export const byId = (a: Row, b: Row) => (a.id < b.id ? -1 : 1)
