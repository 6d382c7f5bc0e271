/** Looks up the names of products. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { products } from '@/db/schema'
import { textArray } from '../core/sql'

/** Returns the names of products by ID. Omits unknown products. */
export async function findProductNames(sellerId: string, ids: readonly (string | undefined)[]): Promise<Map<string, string>> {
  const wanted = ids.filter((id) => id !== undefined)
  if (wanted.length === 0) return new Map()
  const found = await database().query<{ id: string; name: string }>(
    sql`select id, name from ${products} where ${products.sellerId} = ${sellerId} and ${products.id} = any(${textArray(wanted)})`,
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}
