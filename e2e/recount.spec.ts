/** Tests `desk recount`, which compares the stored totals with the records. */
import postgres from 'postgres'
import { createDatabase } from '@/testing/postgres'
import { runDesk } from '@/testing/programs'
import { minimal } from '@/testing/seller'
import { expect, test } from './support/api'

test('`desk recount` reports and repairs a wrong total, or only reports it with --check', async () => {
  const { url: DATABASE_URL, drop } = await createDatabase(String(process.env.TEST_OWNER_URL))
  const client = postgres(DATABASE_URL, { max: 1 })
  const run = (...args: string[]) => runDesk(args, { DATABASE_URL })
  try {
    const seller = 'abcdefabcdefabcdefabcdef'
    const records = [minimal('coupons'), minimal('coupons')].map((line) => JSON.stringify({ ...line, sellerId: seller }))
    await client`insert into coupons (seller_id, record) select ${seller}, unnest(${records}::text[])::json`
    await client`update record_counts set total = total + 5 where resource = 'coupons'`
    const differences = [{ resource: 'coupons', sellerId: seller, pageId: '', status: '', stored: 7, actual: 2 }]
    const checked = await run('recount', '--check')
    expect([checked.code, JSON.parse(checked.stdout)]).toEqual([2, { checked: true, repaired: false, differences }])
    expect(checked.stderr).toContain('Found 1 difference.')
    const repaired = await run('recount')
    expect([repaired.code, JSON.parse(repaired.stdout)]).toEqual([0, { checked: true, repaired: true, differences }])
    const again = await run('recount', '--check')
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { checked: true, repaired: false, differences: [] }])
  } finally {
    await client.end()
    await drop()
  }
})
