/** Writes products: their names, and the IDs that orders refer to with `productId`. They can be imported, but are not part of the API. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { products as table } from '@/db/schema'
import { boundedText } from '../../catalog/shapes'
import { textTable } from '../../core/sql'
import { compareIds, type RecordWriter } from './writer'

export const productWriter: RecordWriter = {
  // Any text is an ID, because orders do not restrict `productId`.
  lineSchema: z.strictObject({ id: boundedText(1, 255), name: boundedText(1, 200) }),
  complete: () => {},
  toRow: (product) => ({ id: String(product.id), record: JSON.stringify(product) }),
  async write(connection, seller, unsorted) {
    const rows = unsorted.toSorted(compareIds)
    const written = await connection.rows(sql`
      insert into ${table} (seller_id, id, name)
      select ${seller}, line.record::json ->> 'id', line.record::json ->> 'name' from ${textTable({ record: rows.map((row) => row.record) })} as line
      on conflict (seller_id, id) do update set name = excluded.name where ${table.name} <> excluded.name
      returning 1`)
    return { written: written.length, conflicts: [] }
  },
}
