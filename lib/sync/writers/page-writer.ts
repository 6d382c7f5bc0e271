/** Writes checkout pages, and records changes to existing ones in the audit log. */
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import { pages as table } from '@/db/schema'
import { changesBetween, writeAudit } from '../../accounts/audit'
import { toAuditValues } from '../../accounts/checkout-pages'
import { pages, withOrderedTimes } from '../../catalog/pages'
import { textArray, textTable } from '../../core/sql'
import { pageJson } from '../../listing/checkout-page-list'
import { compareIds, type RecordWriter } from './writer'

const lineSchema = withOrderedTimes(pages.record)

type Page = z.output<typeof lineSchema>

export const pageWriter: RecordWriter = {
  lineSchema,
  complete: () => {},
  toRow: (page) => ({ id: String(page.id), record: JSON.stringify(page) }),
  async write(connection, seller, unsorted) {
    const rows = unsorted.toSorted(compareIds)
    const before = await connection.rows<{ id: string; record: string }>(sql`
      select ${table.id} as id, ${pageJson} as record from ${table}
      where ${table.sellerId} = ${seller} and ${table.id} = any(${textArray(rows.map(({ id }) => id))})
      order by ${table.id} for no key update`)
    const written = await connection.rows(sql`
      insert into ${table} (seller_id, id, name, entry_policy, starts_at, ends_at, capacity, created_at)
      select ${seller}, page.id, page.name, page."entryPolicy", page."startsAt", page."endsAt", page.capacity, page."createdAt"
      from (select line.record::json as record from ${textTable({ record: rows.map((row) => row.record) })} as line) as lines,
        json_to_record(lines.record) as page (id text, name text, "entryPolicy" text, "startsAt" timestamptz, "endsAt" timestamptz,
          capacity integer, "createdAt" timestamptz)
      on conflict (seller_id, id) do update
        set name = excluded.name, entry_policy = excluded.entry_policy, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
          capacity = excluded.capacity, created_at = excluded.created_at
      where (${table.name}, ${table.entryPolicy}, ${table.startsAt}, ${table.endsAt}, ${table.capacity}, ${table.createdAt})
        is distinct from (excluded.name, excluded.entry_policy, excluded.starts_at, excluded.ends_at, excluded.capacity, excluded.created_at)
      returning 1`)
    const imported = new Map(rows.map(({ id, record }) => [id, lineSchema.parse(JSON.parse(record))]))
    for (const { id, record } of before) {
      const [old, page] = [JSON.parse(record) as Page, imported.get(id)]
      const changes = page && changesBetween(toAuditValues(old), toAuditValues(page))
      if (changes) await writeAudit(connection, { sellerId: seller, by: undefined, action: 'page.changed', subject: old.name, changes })
    }
    return { written: written.length, conflicts: [] }
  },
}
