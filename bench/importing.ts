/**
 * Imports a file (with or without events) or copies its lines into a table with only a primary key, then prints the rate and the peak
 * memory. Arguments: import|events|copy, the database URL, the file, and truncate|keep for the existing records.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import { openDatabase, setDatabase } from '@/db/client'
import { importRecords } from '@/lib/sync/import/import'
import { sellerId } from './data'

const [mode = '', url = '', file = '', preparation = ''] = process.argv.slice(2)
const sql = postgres(url, { max: 1, onnotice: () => {} })
const seller = sellerId(0)

/** The offset of the ID in each line, after `{"id":"`, and its length. */
const [ID_START, ID_LENGTH] = [7, 24]

async function* copyText() {
  let text = ''
  for await (const line of createInterface({ input: createReadStream(file, { highWaterMark: 256 * 1024 }) })) {
    text += `${line.slice(ID_START, ID_START + ID_LENGTH)}\t${line}\n`
    if (text.length < 1 << 20) continue
    yield text
    text = ''
  }
  yield text
}

/** Copies the file's lines into a new table. @returns the number of rows */
async function copyFile(): Promise<number> {
  await sql`drop table if exists bare`
  await sql`create table bare (id text primary key, record json)`
  await pipeline(Readable.from(copyText()), await sql.unsafe('copy bare from stdin').writable())
  const [row] = await sql`select count(*)::int as rows from bare`
  return Number(row?.rows)
}

/** Imports the file. @returns the number of records written */
async function importFile(): Promise<number> {
  const pool = openDatabase({ url, max: 4, statementMs: 120_000 })
  setDatabase(pool)
  const { written } = await importRecords({
    resource: 'payments',
    seller,
    events: mode === 'events',
    input: createReadStream(file, { highWaterMark: 256 * 1024 }),
    onReject: ({ line, reason }) => {
      throw new Error(`line ${line} ${reason}`)
    },
  })
  await pool.close()
  return written
}

await sql`insert into sellers (id, name) values (${seller}, 'Seller') on conflict do nothing`
if (mode !== 'copy' && preparation === 'truncate') {
  await sql`truncate payments, customers, events`
  await sql`vacuum (analyze)`
}
await sql`checkpoint`
const start = performance.now()
const rows = mode === 'copy' ? await copyFile() : await importFile()
const seconds = (performance.now() - start) / 1000
await sql.end()
// maxRSS is in KiB.
const { maxRSS } = process.resourceUsage()
process.stdout.write(`${(rows / seconds).toFixed(1)} per second, ${(maxRSS / 1024).toFixed(1)} MB\n`)
process.exit(0)
