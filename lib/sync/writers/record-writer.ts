/** Writes the records of a resource, and creates the customers that they reference. */
import { sql } from 'drizzle-orm'
import type { Resource } from '../../catalog/resource'
import { textTable } from '../../core/sql'
import { redactErased } from '../erase/erased-people'
import { isPersonal } from '../erase/personal-resources'
import { deriveCustomer, insertNewCustomers, referencesCustomers } from './derived-customers'
import { compareIds, completeRecord, type RecordWriter, type Row } from './writer'

type RecordRow = Row & { secrets: string | null }

/** Converts a valid line to a row, moving its secret members into their own column. Modifies `line`. */
function toRecordRow(line: Record<string, unknown>, secretNames: readonly string[]): RecordRow {
  const secrets: Record<string, unknown> = {}
  for (const name of secretNames) {
    if (line[name] === undefined) continue
    secrets[name] = line[name]
    // Sets the member to undefined, which JSON omits, because deleting it would make the object slow to serialize.
    line[name] = undefined
  }
  const text = JSON.stringify(secrets)
  return { id: String(line.id), record: JSON.stringify(line), secrets: text === '{}' ? null : text }
}

/** Returns the writer for the records of a resource. */
export const recordWriter = ({ table, record, secrets }: Resource): RecordWriter<RecordRow> => ({
  lineSchema: record,
  complete: completeRecord,
  toRow: referencesCustomers({ record })
    ? (line) => ({ ...toRecordRow(line, secrets), customer: deriveCustomer(line) })
    : (line) => toRecordRow(line, secrets),
  async write(connection, seller, unsorted) {
    // Earlier erasures also apply to records that are imported later.
    const rows = (isPersonal(record) ? await redactErased(connection, seller, unsorted) : unsorted).toSorted(compareIds)
    const customers = rows.flatMap(({ customer }) => customer ?? [])
    // Exported lines, and records pulled with a key that may not read secrets, contain no secrets.
    const keptSecrets = sql`coalesce(excluded.secrets, ${table.secrets})`
    const [result] = await connection.rows<{ written: number }>(sql`
      with ${customers.length > 0 ? sql`customer as (${insertNewCustomers(seller, customers)}),` : sql``} line as (
      insert into ${table} (seller_id, record, secrets)
      select ${seller}, line.record::json, nullif(line.secrets, 'null')::json
      from ${textTable({ record: rows.map((row) => row.record), secrets: rows.map((row) => row.secrets ?? 'null') })} as line
      on conflict (seller_id, id) do update set record = excluded.record, secrets = ${keptSecrets}
      where (${table.record}::text, ${table.secrets}::text) is distinct from (excluded.record::text, ${keptSecrets}::text)
      returning 1)
      select count(*)::int as written from line`)
    return { written: result?.written ?? 0, conflicts: [] }
  },
})
