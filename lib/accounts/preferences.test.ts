/** Column preferences are stored per user and table. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { database } from '@/db/client'
import { makeSeller } from '@/testing/seller'
import { saveColumns, shownColumns } from './preferences'
import { addUser } from './users'

const makeUser = async () => {
  const seller = await makeSeller()
  return addUser(seller, { email: `${seller}@example.com`, password: 'correct horse battery', role: 'staff' })
}

test('stores a choice per user and table', async () => {
  const [ada, bob] = [await makeUser(), await makeUser()]
  await saveColumns(ada, 'payments', { status: false })
  await saveColumns(ada, 'payments', { 'billing.name': true })
  await saveColumns(ada, 'coupons', { label: false })
  expect(await shownColumns(ada, 'payments')).toEqual({ status: false, 'billing.name': true })
  expect(await shownColumns(ada, 'coupons')).toEqual({ label: false })
  expect(await shownColumns(ada, 'bookings')).toEqual({})
  expect(await shownColumns(bob, 'payments')).toEqual({})
})

test('keeps concurrent choices and other preferences', async () => {
  const ada = await makeUser()
  await database().use(({ rows }) => rows(sql`update users set preferences = '{"theme":"dark"}' where id = ${ada}`))
  await Promise.all(['a', 'b', 'c', 'd'].map((key) => saveColumns(ada, 'payments', { [key]: true })))
  expect(await shownColumns(ada, 'payments')).toEqual({ a: true, b: true, c: true, d: true })
  const [row] = await database().use(({ rows }) =>
    rows<{ theme: string }>(sql`select preferences ->> 'theme' as theme from users where id = ${ada}`),
  )
  expect(row?.theme).toBe('dark')
})
