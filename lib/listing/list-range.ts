/** Lists records with date filters. Totals must be counted, and are cached until a record of the resource changes. */
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '@/db/client'
import type { CreatedRange } from './created-range'
import { toPage } from './keyset'
import { joinSecrets, type ListQuery, pageStatement, pageValues, type RecordPage, readEmptyTotal } from './list-query'
import { rangeTotal, versionToken } from './record-counts'
import { getPartition, PARTITIONS, readSellerNumber } from './search-matches'

type RangeQuery = ListQuery & { created: CreatedRange }

/** Cached totals with the list's version token at the time of counting, by seller, resource and filters. */
const totals = new LRUCache<string, { version: string; total: number }>({ max: 1_000 })

/** Pages that are being read, by the same key. Each of these reads might be counting the list's total. */
const pendingReads = new Map<string, Promise<unknown>>()

const toKey = ({ sellerId, resource, status, pageId, created }: RangeQuery) =>
  JSON.stringify([sellerId, resource.name, status, pageId, created])

/** Returns whether the cached total of a list is current. */
async function hasTotal(pool: Database, query: RangeQuery): Promise<boolean> {
  const cached = totals.get(toKey(query))
  if (cached === undefined) return false
  const [row] = await pool.query<{ version: string }>(sql`select ${versionToken(query)} as version`)
  return row?.version === cached.version
}

async function readPage(pool: Database, query: RangeQuery, number: number): Promise<RecordPage> {
  const key = toKey(query)
  const partition = getPartition(query.resource, number)
  return pool.use(async (connection) => {
    // Counts only if necessary, because a statement that counts takes longer to start.
    const read = (isCounted: boolean) => {
      const statement = pageStatement(query, `range ${number % PARTITIONS} ${isCounted}`, (bound) => {
        const total = isCounted ? rangeTotal(bound, { partition, number: sql.placeholder('number') }) : sql`null::int`
        return sql`${total} as total, ${versionToken(bound)} as version`
      })
      return connection.bytes(statement, { ...pageValues(query), number })
    }
    const cached = totals.get(key)
    let rows = await read(cached === undefined)
    if (cached && rows[0] && String(rows[0][3]) !== cached.version) rows = await read(true)
    if (!rows[0]) return { ...toPage([], query), total: await readEmptyTotal(connection, query, rangeTotal(query, { partition, number })) }
    const [, , counted, version] = rows[0]
    const total = Number(counted ?? cached?.total)
    if (counted) totals.set(key, { version: String(version), total })
    return { ...toPage(rows.map(joinSecrets), query), total }
  })
}

/**
 * Returns a page and the list's total. If a parallel request for the same list might be counting the total, waits for that request first:
 * otherwise, every parallel request would count the same records, and load shedding would reject the requests that queue behind them.
 *
 * @param pool the result of `pickPool`
 * @throws the same errors as `listChunks`
 */
export async function listRange(pool: Database, query: RangeQuery): Promise<RecordPage> {
  const number = await readSellerNumber(pool, query.sellerId)
  const key = toKey(query)
  const pending = pendingReads.get(key)
  if (pending && !(await hasTotal(pool, query))) await pending.catch(() => {})
  const page = readPage(pool, query, number)
  if (pendingReads.has(key)) return page
  pendingReads.set(key, page)
  try {
    return await page
  } finally {
    pendingReads.delete(key)
  }
}
