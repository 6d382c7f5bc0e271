/** Column preferences are stored per user and table. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { database } from '@/db/client'
import { makeSeller } from '@/testing/seller'
import { readColumns, saveColumns } from './preferences'
import { addUser } from './users'

const makeUser = async () => {
  const seller = await makeSeller()
  return addUser(seller, { email: `${seller}@example.com`, password: 'correct horse battery', role: 'staff' })
}

test('stores the chosen columns per user and table', async () => {
  const [ada, bob] = [await makeUser(), await makeUser()]
  await saveColumns(ada, 'payments', { status: false })
  await saveColumns(ada, 'payments', { 'billing.name': true })
  await saveColumns(ada, 'coupons', { label: false })
  expect(await readColumns(ada, 'payments')).toEqual({ status: false, 'billing.name': true })
  expect(await readColumns(ada, 'coupons')).toEqual({ label: false })
  expect(await readColumns(ada, 'bookings')).toEqual({})
  expect(await readColumns(bob, 'payments')).toEqual({})
})

test('keeps the columns of concurrent saves, and does not change other preferences', async () => {
  const ada = await makeUser()
  await database().use(({ rows }) => rows(sql`update users set preferences = '{"theme":"dark"}' where id = ${ada}`))
  await Promise.all(['a', 'b', 'c', 'd'].map((key) => saveColumns(ada, 'payments', { [key]: true })))
  expect(await readColumns(ada, 'payments')).toEqual({ a: true, b: true, c: true, d: true })
  const [row] = await database().use(({ rows }) =>
    rows<{ theme: string }>(sql`select preferences ->> 'theme' as theme from users where id = ${ada}`),
  )
  expect(row?.theme).toBe('dark')
})
