/** Writes checkout pages, to which records and tickets belong, with their entry policies. */
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { pages as table } from '@/db/schema'
import { changesBetween, writeAudit } from '../../accounts/audit'
import { instant, objectId, text } from '../../catalog/shapes'
import { textArray, textTable } from '../../core/sql'
import { byId, type RecordWriter } from './writer'

const line = z.strictObject({
  id: objectId,
  name: text.min(1, 'must not be empty'),
  // Spec silent: whether a ticket can be admitted more than once.
  entryPolicy: z.enum(['single', 'multiple']).default('single'),
  createdAt: instant,
})

export const pageWriter: RecordWriter = {
  line,
  complete: () => {},
  toRow: (page) => ({ id: String(page.id), record: JSON.stringify(page) }),
  async write(connection, seller, unsorted) {
    const rows = unsorted.toSorted(byId)
    const before = await connection.orm
      .select({ id: table.id, name: table.name, entryPolicy: table.entryPolicy })
      .from(table)
      .where(and(eq(table.sellerId, seller), sql`${table.id} = any(${textArray(rows.map(({ id }) => id))})`))
      .orderBy(table.id)
      .for('no key update')
    const written = await connection.rows(sql`
      insert into ${table} (seller_id, id, name, entry_policy, created_at)
      select ${seller}, page.record ->> 'id', page.record ->> 'name', page.record ->> 'entryPolicy', (page.record ->> 'createdAt')::timestamptz
      from (select line.record::json as record from ${textTable({ record: rows.map((row) => row.record) })} as line) as page
      on conflict (seller_id, id) do update
        set name = excluded.name, entry_policy = excluded.entry_policy, created_at = excluded.created_at
      where (${table.name}, ${table.entryPolicy}, ${table.createdAt})
        is distinct from (excluded.name, excluded.entry_policy, excluded.created_at)
      returning 1`)
    const imported = new Map(rows.map(({ id, record }) => [id, line.parse(JSON.parse(record))]))
    for (const { id, ...was } of before) {
      const page = imported.get(id)
      const changes = page && changesBetween(was, { name: page.name, entryPolicy: page.entryPolicy })
      if (changes) await writeAudit(connection, { sellerId: seller, by: undefined, action: 'page.changed', subject: was.name, changes })
    }
    return { written: written.length, conflicts: [] }
  },
}
