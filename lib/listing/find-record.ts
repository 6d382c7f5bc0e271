/** Finds one record by its ID. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import type { Resource } from '../catalog/resource'

/** Returns a record as a JSON string without its secrets, or undefined if the seller has no record with this ID. */
export async function findRecord({ table }: Resource, sellerId: string, id: string): Promise<string | undefined> {
  const [row] = await database().use(({ rows }) =>
    rows<{ record: string }>(
      sql`select ${table.record}::text as record from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id.toLowerCase()}`,
    ),
  )
  return row?.record
}
