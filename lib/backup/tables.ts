/** Lists the tables in a backup: the permanent (not UNLOGGED) tables of the schema `public`, each after those it references. */
import type { TransactionSql } from 'postgres'

export type Table = { name: string; columns: string[] }

/** Returns each table with the names of its columns, except generated ones, which PostgreSQL recomputes. */
const readTableColumns = (sql: TransactionSql) => sql<Table[]>`
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
  group by c.relname order by c.relname`

/** Returns the names of the tables that each table's foreign keys reference. */
const readReferences = (sql: TransactionSql) => sql<{ from: string; to: string }[]>`
  select distinct f.relname as from, t.relname as to
  from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and k.conrelid <> k.confrelid and f.relnamespace = 'public'::regnamespace`

/** Returns the tables in a backup, each after those it references. Reads them from the database, so that new ones are included. */
export async function readTables(sql: TransactionSql): Promise<Table[]> {
  const tables = await readTableColumns(sql)
  const references = await readReferences(sql)
  const ordered: Table[] = []
  const visit = (table: Table | undefined) => {
    if (!table || ordered.includes(table)) return
    for (const { from, to } of references) if (from === table.name) visit(tables.find(({ name }) => name === to))
    ordered.push(table)
  }
  for (const table of tables) visit(table)
  return ordered
}

/** Returns the time of the latest migration, which identifies the version of the schema. */
export async function readSchemaVersion(sql: TransactionSql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`select max(created_at)::text as version from drizzle.__drizzle_migrations`
  return row?.version ?? ''
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Returns a table and its columns as COPY expects them. */
export const copyTarget = ({ name, columns }: Table) => `${quote(name)} (${columns.map(quote).join(', ')})`
