/** `desk recount` checks the stored totals, reports wrong ones, and repairs them. */
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { minimal } from '@/testing/seller'
import { expect, test } from './support/api'
import { desk } from './support/processes'

test('checks the totals, reports a wrong one, and repairs it', async () => {
  const name = `recount_${randomBytes(6).toString('hex')}`
  const admin = postgres(String(process.env.TEST_OWNER_URL), { max: 1 })
  await admin.unsafe(`create database ${name}`)
  const DATABASE_URL = String(process.env.TEST_OWNER_URL).replace(/\/[^/]*$/, `/${name}`)
  const run = async (...args: string[]) => {
    const program = desk(args, { DATABASE_URL })
    let stdout = ''
    program.child.stdout?.on('data', (chunk) => {
      stdout += chunk
    })
    return { code: await program.ended, stdout, output: program.output() }
  }
  try {
    await run('migrate')
    const seller = 'abcdefabcdefabcdefabcdef'
    const records = [minimal('coupons'), minimal('coupons')].map((line) => JSON.stringify({ ...line, sellerId: seller }))
    const own = postgres(DATABASE_URL, { max: 1 })
    await own`insert into coupons (seller_id, record) select ${seller}, unnest(${records}::text[])::json`
    expect(JSON.parse((await run('recount')).stdout)).toEqual({ checked: true, repaired: true, differences: [] })

    await own`update record_counts set total = total + 5 where resource = 'coupons'`
    const differences = [{ resource: 'coupons', sellerId: seller, pageId: '', status: '', said: 7, found: 2 }]
    const checked = await run('recount', '--check')
    expect([checked.code, JSON.parse(checked.stdout)]).toEqual([2, { checked: true, repaired: false, differences }])
    expect(checked.output).toContain('1 total was wrong')
    const repaired = await run('recount')
    expect([repaired.code, JSON.parse(repaired.stdout)]).toEqual([0, { checked: true, repaired: true, differences }])
    expect((await run('recount', '--check')).code).toBe(0)
    await own.end()
  } finally {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  }
})
