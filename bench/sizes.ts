/** Measures storage: imports the sample shop for many sellers, admits tickets, and prints the sizes of tables, indexes and WAL. */
import { Readable } from 'node:stream'
import postgres from 'postgres'
import { makeSample } from '@/cli/sample/records'
import { database as pool } from '@/db/client'
import { validateTicketRoute } from '@/lib/http/validate-ticket-route'
import { importRecords } from '@/lib/sync/import/import'
import { startPostgres } from '@/testing/postgres'
import { makeKey, makeSeller } from '@/testing/seller'

const SELLERS = 25
const ADMISSIONS = 5_000

/** A table's row count, and the sizes of the table and its indexes in bytes. */
type Size = { name: string; rows: number; table: number; indexes: number }

const postgresql = await startPostgres({ isDurable: true })
process.env.TEST_DATABASE_URL = postgresql.url
const sql = postgres(postgresql.url, { max: 1, onnotice: () => {} })
const readWalPosition = async () => Number((await sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`)[0]?.bytes)

/** Returns the sizes of all tables with more than 100 rows. */
async function readSizes(): Promise<Size[]> {
  await sql.unsafe('vacuum (analyze)')
  return sql<Size[]>`
    select relname as name, reltuples::int as rows, pg_table_size(oid)::int as table, pg_indexes_size(oid)::int as indexes
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > 100 order by 1`
}

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Prints the size per row of the rows added to each table. */
function printSizes(after: Size[], before: Size[] = []): void {
  for (const { name, ...now } of after) {
    const then = before.find((size) => size.name === name) ?? { rows: 0, table: 0, indexes: 0 }
    const rows = now.rows - then.rows
    if (rows <= 0) continue
    const perRow = (bytes: number) => Math.round(bytes / rows).toLocaleString('en')
    print(
      `${name}: ${rows.toLocaleString('en')} rows, ${perRow(now.table - then.table)} + ${perRow(now.indexes - then.indexes)} bytes per row`,
    )
  }
}

const sample = makeSample(new Date())
const sellers = await Promise.all(Array.from({ length: SELLERS }, () => makeSeller()))
const before = await readWalPosition()
for (const seller of sellers) {
  for (const [resource, lines] of sample) {
    const input = Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))
    await importRecords({ resource, seller, input, onReject: () => {} })
  }
}
const imported = await readSizes()
print('After the import: bytes of table + indexes per row')
printSizes(imported)
const rows = imported.reduce((sum, { name, rows }) => sum + (name === 'record_counts' || name === 'check_ins' ? 0 : rows), 0)
print(`WAL: ${Math.round(((await readWalPosition()) - before) / rows).toLocaleString('en')} bytes per record`)

const [seller = ''] = sellers
const { key } = await makeKey(seller)
const codes = await sql<{ code: string }[]>`select qr_code as code from tickets where seller_id = ${seller}`
const start = await readWalPosition()
for (let i = 0; i < ADMISSIONS; i += 1) {
  const code = codes[i % codes.length]?.code ?? ''
  await validateTicketRoute.POST(
    new Request('http://desk/', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `scan-${i}`,
        Device: 'West gate 2',
      },
      body: '{"metadata":[{"key":"gate","value":"2"}]}',
    }),
    { params: Promise.resolve({ qrCode: code }) },
  )
}
print(`\nScanned ${ADMISSIONS.toLocaleString('en')} times: bytes of table + indexes per row`)
printSizes(await readSizes(), imported)
print(`WAL: ${Math.round(((await readWalPosition()) - start) / ADMISSIONS).toLocaleString('en')} bytes per scan`)
await sql.end()
await pool().close()
await postgresql.remove()
