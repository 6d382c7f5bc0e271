/** The four listed resources as targets of an import. */
import { sql } from 'drizzle-orm'
import type { Resource } from '../../catalog/resource'
import { lines } from './lines'
import { byId, completeRecord, type Row, type Target } from './target'

type RecordRow = Row & { secrets: string | null }

/** Takes the secret members out of a checked line: they are stored beside the record. */
function split(line: Record<string, unknown>, names: readonly string[]): RecordRow {
  const secrets: Record<string, unknown> = {}
  for (const name of names) {
    if (line[name] === undefined) continue
    secrets[name] = line[name]
    // Not deleted: that would make the object slow to write out, and JSON leaves undefined out.
    line[name] = undefined
  }
  const text = JSON.stringify(secrets)
  return { id: String(line.id), record: JSON.stringify(line), secrets: text === '{}' ? null : text }
}

export const recordTarget = ({ table, record, secrets }: Resource): Target<RecordRow> => ({
  line: record,
  complete: completeRecord,
  toRow: (line) => split(line, secrets),
  isOneStatement: true,
  async write({ rows: run }, seller, unsorted) {
    const rows = unsorted.toSorted(byId)
    const [result] = await run<{ written: number }>(sql`
      with line as (
      insert into ${table} (seller_id, record, secrets)
      select ${seller}, line.record::json, nullif(line.secrets, 'null')::json
      from ${lines({ record: rows.map((row) => row.record), secrets: rows.map((row) => row.secrets ?? 'null') })} as line
      on conflict (seller_id, id) do update set record = excluded.record, secrets = excluded.secrets
      where (${table.record}::text, ${table.secrets}::text) is distinct from (excluded.record::text, excluded.secrets::text)
      returning 1)
      select count(*)::int as written from line`)
    return { written: result?.written ?? 0, conflicts: [] }
  },
})
