/** The user who deleted a view can restore it. The view keeps its ID and its user. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { seal, tryUnseal } from '../core/seal'
import { listAudit } from '../listing/list-audit'
import { eraseCustomerById } from '../sync/erase/erase-customer'
import { deleteView, listSavedViews, restoreView, saveView } from './saved-views'
import { addUser } from './users'

const VIEW = { name: 'Failed', resource: 'payments', query: 'status=failed', isShared: true }

async function makeUser(sellerId: string, role: 'owner' | 'staff') {
  const email = `${role}@${sellerId}.example.com`
  return { sellerId, role, email, userId: await addUser(sellerId, { email, password: 'correct horse battery', role }) }
}

/** Saves a shared view as a staff member, and deletes it as an owner. */
async function deleteSharedView() {
  const sellerId = await makeSeller()
  const [owner, staff] = [await makeUser(sellerId, 'owner'), await makeUser(sellerId, 'staff')]
  await saveView(staff, VIEW)
  const views = await listSavedViews(staff)
  const copy = String(await deleteView(owner, String(views[0]?.id)))
  expect(await listSavedViews(staff)).toEqual([])
  return { owner, staff, views, copy }
}

test('an owner restores a colleague’s view for the colleague, even if the owner has 50 views, but only once', async () => {
  const { owner, staff, views, copy } = await deleteSharedView()
  for (let i = 0; i < 50; i += 1) await saveView(owner, { ...VIEW, query: `search=${i}` })
  expect(await restoreView(owner, copy)).toBe('Failed')
  expect((await listSavedViews(staff)).filter(({ isOwn }) => isOwn)).toEqual(views)
  expect(await restoreView(owner, copy)).toBeUndefined()
  const { rows: entries } = await listAudit(owner.sellerId)
  expect(entries.find(({ action }) => action === 'view.created')).toMatchObject({ email: owner.email, subject: 'Failed' })
})

test('a view that is renamed while it is being deleted is restored with its new name', async () => {
  const staff = await makeUser(await makeSeller(), 'staff')
  await saveView(staff, VIEW)
  const [view] = await listSavedViews(staff)
  let deleting: Promise<string | undefined> | undefined
  await database().transaction(async (connection) => {
    await connection.rows(sql`update saved_views set name = 'Renamed' where seller_id = ${staff.sellerId}`)
    deleting = deleteView(staff, String(view?.id))
    await untilBlocking(connection)
  })
  expect(await restoreView(staff, String(await deleting))).toBe('Renamed')
})

test('a view is not restored by anyone else, in another shop, or from a copy that was changed', async () => {
  const { owner, staff, copy } = await deleteSharedView()
  expect(await restoreView(staff, copy)).toBeUndefined()
  expect(await restoreView({ ...owner, sellerId: await makeSeller() }, copy)).toBeUndefined()
  expect(await restoreView(owner, `${copy.startsWith('A') ? 'B' : 'A'}${copy.slice(1)}`)).toBeUndefined()
  expect(await restoreView(owner, '')).toBeUndefined()
  expect(await listSavedViews(staff)).toEqual([])
})

test('a view that the user may not delete is neither deleted nor copied', async () => {
  const { staff, owner } = await deleteSharedView()
  await saveView(owner, VIEW)
  const [view] = await listSavedViews(staff)
  expect(await deleteView(staff, String(view?.id))).toBeUndefined()
  expect(await listSavedViews(staff)).toHaveLength(1)
})

test('a view is not restored after ten minutes', async () => {
  const { owner, copy } = await deleteSharedView()
  const copyOwner = `deleted view ${owner.sellerId} ${owner.userId}`
  const view = JSON.parse(String(await tryUnseal(Buffer.from(copy, 'base64url'), copyOwner)))
  const makeCopy = async (ageMs: number) =>
    (await seal(JSON.stringify({ ...view, deletedAt: view.deletedAt - ageMs }), copyOwner)).toString('base64url')
  expect(await restoreView(owner, await makeCopy(601_000))).toBeUndefined()
  expect(await restoreView(owner, await makeCopy(400_000))).toBe('Failed')
})

test('a view is not restored if its user has saved it again, or has 50 others', async () => {
  const { owner, staff, copy } = await deleteSharedView()
  await saveView(staff, { ...VIEW, name: 'Again' })
  expect(await restoreView(owner, copy)).toBeUndefined()
  const [again] = await listSavedViews(staff)
  expect(again).toMatchObject({ name: 'Again' })
  await deleteView(staff, String(again?.id))
  for (let i = 0; i < 50; i += 1) await saveView(staff, { ...VIEW, query: `search=${i}` })
  expect(await restoreView(owner, copy)).toBeUndefined()
})

test('a view is not restored if a customer has been erased in the meantime, because it could contain their name', async () => {
  const { owner, staff, copy } = await deleteSharedView()
  const customer = minimal('customers', { email: 'ada@example.com' })
  await importLines('customers', owner.sellerId, [customer])
  await eraseCustomerById(owner.sellerId, owner, String(customer.id))
  expect(await restoreView(owner, copy)).toBeUndefined()
  expect(await listSavedViews(staff)).toEqual([])
})
