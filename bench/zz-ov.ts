import { monitorEventLoopDelay } from 'node:perf_hooks'
import postgres from 'postgres'
import { openDatabase, setDatabase } from '@/db/client'
import { loadTodayCheckIns } from '@/lib/reports/check-ins'
import { loadDateRange } from '@/lib/reports/date-range'
import { loadSales } from '@/lib/reports/sales'
import { countSubscriptions } from '@/lib/reports/subscriptions'
import { startPostgres } from '@/testing/postgres'

const pg = await startPostgres()
const sql = postgres(pg.url, { max: 1, onnotice: () => {} })
const N = 1_000_000
await sql`set synchronous_commit = off`
for (const [seller, days] of [
  ['a'.repeat(24), 730],
  ['b'.repeat(24), 58],
] as const) {
  await sql`insert into sellers (id,name) values (${seller}, 'x')`
  await sql`alter table payments disable trigger user`
  for (const i of await sql`select indexname from pg_indexes where tablename='payments' and indexname not in (select conname from pg_constraint) and indexname <> 'payments_order'`)
    await sql.unsafe(`drop index ${i.indexname}`)
  console.time('fill')
  await sql.unsafe(`insert into payments (seller_id, record, id, created_at, status, page_id, amount, currency, livemode, revenue)
   select '${seller}', '{}'::json, lpad(to_hex(n),24,'0'), now() - random() * interval '${days} days', (array['paid','paid','paid','paid','paid','paid','paid','refunded','failed','pending'])[1+floor(random()*10)],
   '65a0b1c2d3e4f5a6b7c8' || lpad(to_hex(floor(300 * random()^3)::int), 4, '0'), n % 10000, (array['eur','eur','eur','eur','usd','usd','gbp'])[1+floor(random()*7)], true, n % 10000 from generate_series(1, ${N}) as n`)
  console.timeEnd('fill')
  await sql`alter table payments enable trigger user`
  console.time('roll up')
  await sql.unsafe(`insert into rollups (seller_id, resource, level, bucket, currency, page_id, slot, revenue, orders, refunds)
    select seller_id, resource, level, bucket, currency, page_id, 1, revenue, orders, refunds from desk_rollups_of_payments where seller_id = '${seller}'`)
  console.timeEnd('roll up')
}
await sql.unsafe('vacuum (analyze)')
console.log(
  await sql`select seller_id, level, count(*)::int from rollups group by 1,2 order by 1,2`,
  await sql`select pg_size_pretty(pg_table_size('rollups')) t, pg_size_pretty(pg_indexes_size('rollups')) i`,
)
const pool = openDatabase({ url: pg.url, max: 8, statementMs: 60000 })
setDatabase(pool)
for (const seller of ['a'.repeat(24), 'b'.repeat(24)])
  for (const span of [30, 90, 365] as const) {
    const times: number[] = [],
      sales: number[] = []
    let worst = 0
    for (let i = 0; i < 12; i++) {
      const h = monitorEventLoopDelay({ resolution: 1 })
      h.enable()
      const t = performance.now()
      const days = await loadDateRange('Europe/Amsterdam', span)
      const t2 = performance.now()
      await Promise.all([loadSales(seller, days), countSubscriptions(seller, days), loadTodayCheckIns(seller, days)])
      times.push(performance.now() - t)
      sales.push(t2 - t)
      h.disable()
      if (i) worst = Math.max(worst, h.max / 1e6)
    }
    const s = times.slice(1).sort((x, y) => x - y)
    const c0 = performance.now()
    await sql`select count(*) from (select from rollups limit 1) x, generate_series(1, 1000000)`
    const c1 = performance.now() - c0
    console.log(
      '1M generate_series',
      c1.toFixed(0),
      seller[0],
      span,
      'first',
      times[0]?.toFixed(0),
      'median',
      s[5]?.toFixed(1),
      'min',
      s[0]?.toFixed(1),
      'max',
      s.at(-1)?.toFixed(1),
      'range',
      sales[3]?.toFixed(1),
      'loop',
      worst.toFixed(1),
    )
  }
await pool.close(0)
await sql.end()
await pg.remove()
process.exit(0)
