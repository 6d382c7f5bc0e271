/** Writes products, which consist of an ID and a name. */
import { sql } from 'drizzle-orm'
import { products as table } from '@/db/schema'
import { productRecord } from '../../catalog/products'
import { textTable } from '../../core/sql'
import { compareIds, type RecordWriter } from './writer'

export const productWriter: RecordWriter = {
  lineSchema: productRecord,
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
