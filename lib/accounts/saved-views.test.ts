/** Saved views belong to a user, and are visible to the whole shop if they are shared. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { database } from '@/db/client'
import { makeSeller } from '@/testing/seller'
import { listAudit } from '../listing/list-audit'
import { deleteView, editView, listSavedViews, mayDelete, savedViewSchema, saveView, toViewQuery } from './saved-views'
import { disableMember } from './team'
import { addUser } from './users'

async function makeUsers(count: number) {
  const sellerId = await makeSeller()
  const role = 'staff' as const
  const makeEmail = (i: number) => `${i}@${sellerId}.example.com`
  const add = (i: number) => addUser(sellerId, { email: makeEmail(i), password: 'correct horse battery', role })
  const ids = await Promise.all(Array.from({ length: count }, (_, i) => add(i)))
  return ids.map((userId, i) => ({ userId, sellerId, role, email: makeEmail(i) }))
}

const failedPayments = { name: 'Failed last month', resource: 'payments', query: 'status=failed&period=last_month', isShared: false }

test('a view is listed for its user, and for colleagues only if it is shared', async () => {
  const [ada, bob] = await makeUsers(2)
  const [stranger] = await makeUsers(1)
  if (!ada || !bob || !stranger) throw new Error('no users')
  await saveView(ada, failedPayments)
  await saveView(ada, { ...failedPayments, name: 'All failed', query: 'status=failed&starting_after=x', isShared: true })
  expect(await listSavedViews(ada)).toMatchObject([
    { name: 'All failed', query: 'status=failed', isShared: true, isOwn: true },
    { name: 'Failed last month', query: 'period=last_month&status=failed', isShared: false, isOwn: true },
  ])
  expect(await listSavedViews(bob)).toMatchObject([{ name: 'All failed', isOwn: false }])
  expect(await listSavedViews(stranger)).toEqual([])
})

test('saving a view with the same query again changes its name and sharing', async () => {
  const [ada] = await makeUsers(1)
  if (!ada) throw new Error('no user')
  await saveView(ada, failedPayments)
  await saveView(ada, { ...failedPayments, query: 'period=last_month&status=failed', name: 'Renamed', isShared: true })
  expect(await listSavedViews(ada)).toMatchObject([{ name: 'Renamed', isShared: true }])
})

test('a view that was stored with its rows per page is listed without them', async () => {
  const [ada] = await makeUsers(1)
  if (!ada) throw new Error('no user')
  await saveView(ada, failedPayments)
  await database().query(sql`update saved_views set query = 'limit=50&status=failed' where user_id = ${ada.userId}`)
  expect(await listSavedViews(ada)).toMatchObject([{ query: 'status=failed' }])
})

test('a user can edit the name and sharing of their own views, but editing a deleted view does not restore it', async () => {
  const [ada, bob] = await makeUsers(2)
  if (!ada || !bob) throw new Error('no users')
  await saveView(ada, { ...failedPayments, isShared: true })
  const id = String((await listSavedViews(ada))[0]?.id)
  expect(await editView(bob, id, { name: 'Mine', isShared: undefined })).toBe(false)
  expect(await editView(ada, id, { name: 'Renamed', isShared: undefined })).toBe(true)
  expect(await listSavedViews(ada)).toMatchObject([{ id, name: 'Renamed', isShared: true }])
  expect(await editView(ada, id, { name: undefined, isShared: false })).toBe(true)
  expect(await listSavedViews(ada)).toMatchObject([{ id, name: 'Renamed', isShared: false }])
  const { rows: entries } = await listAudit(ada.sellerId)
  expect(entries.filter(({ action }) => action === 'view.changed').map(({ changes }) => changes)).toEqual([
    { isShared: { before: 'yes', after: 'no' } },
    { name: { before: failedPayments.name, after: 'Renamed' } },
  ])
  await deleteView({ ...ada, role: 'staff' }, id)
  expect(await editView(ada, id, { name: 'Back', isShared: true })).toBe(false)
  expect(await listSavedViews(ada)).toEqual([])
})

test('a shared view can be deleted by owners of the shop, but not by other staff or by owners of another shop', async () => {
  const [ada, bob] = await makeUsers(2)
  const [stranger] = await makeUsers(1)
  if (!ada || !bob || !stranger) throw new Error('no users')
  await saveView(ada, { ...failedPayments, isShared: true })
  const [view] = await listSavedViews(ada)
  const id = String(view?.id)
  expect(await deleteView(bob, id)).toBeUndefined()
  expect(await deleteView({ ...stranger, role: 'owner' }, id)).toBeUndefined()
  const [seen] = await listSavedViews(bob)
  if (!seen) throw new Error('no view')
  expect([mayDelete(bob, seen), mayDelete({ role: 'owner' }, seen)]).toEqual([false, true])
  expect(await deleteView({ ...bob, role: 'owner' }, id)).toBeDefined()
  expect(await listSavedViews(ada)).toEqual([])
})

test('the audit log records who saved, shared and deleted a view', async () => {
  const [ada, bob] = await makeUsers(2)
  if (!ada || !bob) throw new Error('no users')
  await saveView(ada, failedPayments)
  await saveView(ada, { ...failedPayments, isShared: true })
  const [view] = await listSavedViews(ada)
  await deleteView(bob, String(view?.id))
  await deleteView({ ...bob, role: 'owner' }, String(view?.id))
  const { rows: entries } = await listAudit(ada.sellerId)
  expect(entries.filter(({ action }) => action.startsWith('view.')).map(({ action, email, subject }) => [action, email, subject])).toEqual([
    ['view.deleted', bob.email, failedPayments.name],
    ['view.changed', ada.email, failedPayments.name],
    ['view.created', ada.email, failedPayments.name],
  ])
  expect(entries.find(({ action }) => action === 'view.changed')).toMatchObject({ changes: { isShared: { after: 'yes' } } })
})

test('a user can save at most 50 views', async () => {
  const [ada] = await makeUsers(1)
  if (!ada) throw new Error('no user')
  const save = (i: number) => saveView(ada, { ...failedPayments, query: `search=${i}` })
  for (let i = 0; i < 50; i += 1) expect(await save(i)).toBe(true)
  expect(await save(50)).toBe(false)
})

test('a user with 50 views can still rename and share each of them', async () => {
  const [ada] = await makeUsers(1)
  if (!ada) throw new Error('no user')
  for (let i = 0; i < 50; i += 1) await saveView(ada, { ...failedPayments, query: `search=${i}` })
  expect(await saveView(ada, { ...failedPayments, query: 'search=7', name: 'Renamed', isShared: true })).toBe(true)
  expect(await listSavedViews(ada)).toContainEqual(expect.objectContaining({ query: 'search=7', name: 'Renamed', isShared: true }))
})

test('lists a user’s own views first, even if colleagues share many, and omits views of disabled users', { tags: 'slow' }, async () => {
  const [ada, bob, eve] = await makeUsers(3)
  if (!ada || !bob || !eve) throw new Error('no users')
  await saveView(ada, { ...failedPayments, name: 'Zurich' })
  for (let i = 0; i < 50; i += 1)
    for (const user of [bob, eve]) await saveView(user, { ...failedPayments, name: 'Ahead', query: `search=${i}`, isShared: true })
  expect((await listSavedViews(ada))[0]).toMatchObject({ name: 'Zurich', isOwn: true })
  await disableMember(eve.sellerId, { email: `2@${eve.sellerId}.example.com` })
  expect(await listSavedViews(ada)).toHaveLength(51)
})

test('a view requires a name, a valid resource and a query below the length limit, and its query is normalized', () => {
  expect(savedViewSchema.safeParse({ ...failedPayments, name: ' ' }).success).toBe(false)
  expect(savedViewSchema.safeParse({ ...failedPayments, resource: '../settings' }).success).toBe(false)
  expect(savedViewSchema.safeParse({ ...failedPayments, resource: 'gift_cards' }).success).toBe(true)
  expect(savedViewSchema.safeParse({ ...failedPayments, query: `search=${'é'.repeat(600)}` }).success).toBe(true)
  expect(savedViewSchema.safeParse({ ...failedPayments, query: `search=${'é'.repeat(700)}` }).success).toBe(false)
  expect(toViewQuery(new URLSearchParams('status=paid&ending_before=1&limit=50&currency=EUR'))).toBe('currency=EUR&status=paid')
})
