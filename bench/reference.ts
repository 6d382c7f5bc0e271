/** The reference server for lists: serves stored text with node:http and postgres.js, without authentication or totals. */
import { createServer } from 'node:http'
import postgres from 'postgres'
import { sellerId } from './data'

const sql = postgres(String(process.env.DATABASE_URL), { max: 16 })
const seller = sellerId(0)

const server = createServer((request, response) => {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams
  const values = [seller]
  const conditions = ['seller_id = $1']
  for (const [name, column] of [
    ['status', 'status'],
    ['pageId', 'page_id'],
  ] as const) {
    const value = query.get(name)
    if (value === null) continue
    values.push(value)
    conditions.push(`${column} = $${values.length}`)
  }
  const cursor = query.get('starting_after')
  if (cursor !== null) {
    values.push(cursor)
    conditions.push(`(created_at, id) < (select created_at, id from payments where seller_id = $1 and id = $${values.length})`)
  }
  // Inline the limit so that the prepared statement gets a generic plan.
  const limit = Number(query.get('limit') ?? 20)
  const text = `select record::text as record from payments where ${conditions.join(' and ')} order by created_at desc, id desc limit ${limit}`
  sql.unsafe<{ record: string }[]>(text, values, { prepare: true }).then(
    (rows) => {
      const body = `{"data":[${rows.map(({ record }) => record).join(',')}]}`
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) })
      response.end(body)
    },
    (error: Error) => response.writeHead(500).end(error.message),
  )
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`listening on ${typeof address === 'object' && address ? address.port : ''}\n`)
})
