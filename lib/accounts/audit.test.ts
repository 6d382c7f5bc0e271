/** The audit log records changes in their transactions and without secrets, and is paginated without gaps. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { listAudit } from '../listing/list-audit'
import { createKey, listKeys, revokeKey, rotateKey } from './api-keys'
import { changesBetween, writeAudit } from './audit'
import { addCheckoutPage, listCheckoutPages, updateCheckoutPage } from './checkout-pages'
import { acceptInvitation, invite } from './invitations'
import { createSeller, findSeller, updateSeller } from './sellers'
import { changeRole, disableMember } from './team'
import { addUser, setPassword } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'
/** The default values of a checkout page's optional members. */
const DEFAULTS = { startsAt: null, endsAt: null, capacity: null, offlineAdmission: true, offlineNames: true, offlineSearch: false }

async function addOwner(seller: string) {
  const email = `owner-${seller}@example.com`
  return { userId: await addUser(seller, { email, password: PASSWORD, role: 'owner' }), email }
}

const listEntries = async (seller: string) =>
  (await listAudit(seller)).rows.map(({ email, action, subject, changes }) => ({ email, action, subject, changes }))

describe('the audit log', () => {
  it('records who changed what, with the values before and after, and nothing if nothing changed', async () => {
    const seller = await makeSeller()
    const owner = await addOwner(seller)
    const by = owner.email
    const id = await addCheckoutPage(seller, { name: 'Jazz', entryPolicy: 'single' }, owner)
    expect(await updateCheckoutPage(seller, id, { name: 'Jazz', entryPolicy: 'single' }, owner)).toBe(true)
    expect(await updateCheckoutPage(seller, id, { name: 'Late Jazz', entryPolicy: 'multiple' }, owner)).toBe(true)
    await updateSeller(seller, { name: 'Test', timeZone: 'UTC' }, owner)
    await updateSeller(seller, { name: 'Test', timeZone: 'Asia/Tokyo' }, owner)
    const { id: keyId } = await createKey({ sellerId: seller, name: 'Web', scopes: ['coupons:read'] }, owner)
    const rotated = await rotateKey(seller, keyId, 3_600_000, owner)
    await revokeKey(seller, keyId)
    await revokeKey(seller, keyId)
    expect(await listEntries(seller)).toEqual([
      { email: null, action: 'key.revoked', subject: 'Web', changes: {} },
      { email: by, action: 'key.rotated', subject: 'Web', changes: { oldExpiresAt: { after: rotated?.oldExpiresAt } } },
      { email: by, action: 'key.created', subject: 'Web', changes: { scopes: { after: ['coupons:read'] } } },
      { email: by, action: 'seller.changed', subject: 'Test', changes: { timeZone: { before: 'UTC', after: 'Asia/Tokyo' } } },
      {
        email: by,
        action: 'page.changed',
        subject: 'Jazz',
        changes: { name: { before: 'Jazz', after: 'Late Jazz' }, entryPolicy: { before: 'single', after: 'multiple' } },
      },
      { email: by, action: 'page.added', subject: 'Jazz', changes: { entryPolicy: { after: 'single' } } },
      { email: null, action: 'user.added', subject: by, changes: { role: { after: 'owner' } } },
    ])
    expect(await listCheckoutPages(seller)).toEqual([{ id, name: 'Late Jazz', entryPolicy: 'multiple', ...DEFAULTS }])
    expect(await findSeller(seller)).toMatchObject({ timeZone: 'Asia/Tokyo' })
  })

  it('records only changed members, and nothing if a change is rejected because the event would end before it starts', async () => {
    const seller = await makeSeller()
    const owner = await addOwner(seller)
    const times = { startsAt: '2026-12-05T19:30:00.000Z', endsAt: '2026-12-05T23:00:00.000Z' }
    const id = await addCheckoutPage(seller, { name: 'Jazz', entryPolicy: 'single', ...times }, owner)
    await updateCheckoutPage(seller, id, { capacity: 500 }, owner)
    const startsAt = '2026-12-06T00:00:00.000Z'
    await expect(updateCheckoutPage(seller, id, { startsAt }, owner)).rejects.toMatchObject({ code: 'page_times_invalid' })
    const [changed, added] = await listEntries(seller)
    expect([changed?.changes, added?.action]).toEqual([{ capacity: { before: null, after: '500' } }, 'page.added'])
    expect(await listCheckoutPages(seller)).toMatchObject([{ name: 'Jazz', capacity: 500, ...times }])
  })

  it('records the operator’s changes without a user, starting with the creation of the seller', async () => {
    const { sellerId } = await createSeller({ name: 'Shop', email: `o-${Date.now()}@example.com`, password: PASSWORD, timeZone: 'UTC' })
    const email = `staff-${sellerId}@example.com`
    await addUser(sellerId, { email, password: PASSWORD, role: 'staff' })
    await setPassword(sellerId, email, 'another password')
    await disableMember(sellerId, { email })
    expect((await listEntries(sellerId)).map(({ email: who, action }) => [who, action])).toEqual([
      [null, 'user.disabled'],
      [null, 'password.set'],
      [null, 'user.added'],
      [null, 'user.added'],
      [null, 'seller.created'],
    ])
  })

  it('contains no keys, tokens, passwords or hashes', async () => {
    const seller = await makeSeller()
    const owner = await addOwner(seller)
    const created = await createKey({ sellerId: seller, name: 'Web', scopes: ['full'], expiresAt: new Date(Date.now() + 60_000) }, owner)
    const rotated = await rotateKey(seller, created.id, 0, owner)
    const { token } = await invite(seller, { email: `guest-${seller}@example.com`, role: 'owner' }, owner)
    await acceptInvitation(token, 'the guest’s password')
    await setPassword(seller, owner.email, 'a password by the operator')
    const entries = await database().use(({ rows }) =>
      rows<{ text: string }>(sql`select to_json(a)::text as text from audit_log a where seller_id = ${seller}`),
    )
    expect(entries.length).toBe(6)
    const hashes = await database().use(({ rows }) =>
      rows<{ hash: string }>(sql`
        select password_hash as hash from users where seller_id = ${seller}
        union all select encode(hash, 'hex') from api_keys where seller_id = ${seller}
        union all select encode(hash, 'hex') from invitations where seller_id = ${seller}`),
    )
    const secrets = [
      created.key,
      String(rotated?.key),
      token,
      PASSWORD,
      'the guest’s password',
      'a password by the operator',
      ...hashes.map(({ hash }) => hash),
    ]
    for (const { text } of entries) for (const secret of secrets) expect(text).not.toContain(secret)
  })

  it('rolls back a change if its audit entry cannot be written', async () => {
    const seller = await makeSeller()
    const owner = await addOwner(seller)
    const { id } = await createKey({ sellerId: seller, name: 'Web', scopes: ['full'] }, owner)
    const pageId = await addCheckoutPage(seller, { name: 'Jazz', entryPolicy: 'single' }, owner)
    const before = await listEntries(seller)
    const staff = { userId: await addUser(seller, { email: `s-${seller}@example.com`, password: PASSWORD, role: 'staff' }) }
    // Rejects further audit entries of this seller, except for `user.added`.
    const name = `no_audit_${seller}`
    await database().use(({ rows }) =>
      rows(sql.raw(`alter table audit_log add constraint ${name} check (seller_id <> '${seller}' or action = 'user.added') not valid`)),
    )
    try {
      for (const change of [
        () => revokeKey(seller, id, owner),
        () => rotateKey(seller, id, 0, owner),
        () => createKey({ sellerId: seller, name: 'Second', scopes: ['full'] }, owner),
        () => updateCheckoutPage(seller, pageId, { name: 'Changed', entryPolicy: 'multiple' }, owner),
        () => addCheckoutPage(seller, { name: 'Second', entryPolicy: 'single' }, owner),
        () => updateSeller(seller, { name: 'Changed', timeZone: 'UTC' }, owner),
        () => changeRole(seller, staff, 'door', owner),
        () => invite(seller, { email: `g-${seller}@example.com`, role: 'door' }, owner),
        () => setPassword(seller, owner.email, 'another password'),
      ]) {
        await expect(change()).rejects.toMatchObject({ cause: { constraint_name: name } })
      }
    } finally {
      await database().use(({ rows }) => rows(sql.raw(`alter table audit_log drop constraint ${name}`)))
    }
    expect((await listEntries(seller)).slice(1)).toEqual(before)
    expect((await listKeys(seller)).map(({ revokedAt, expiresAt }) => [revokedAt, expiresAt])).toEqual([[null, null]])
    expect(await listCheckoutPages(seller)).toEqual([{ id: pageId, name: 'Jazz', entryPolicy: 'single', ...DEFAULTS }])
    expect(await findSeller(seller)).toMatchObject({ name: 'Test' })
    const [stored] = await database().use(({ rows }) =>
      rows<{ roles: string; invitations: number }>(sql`
        select (select string_agg(role, ',' order by role) from users where seller_id = ${seller}) as roles,
          (select count(*)::int from invitations where seller_id = ${seller}) as invitations`),
    )
    expect(stored).toEqual({ roles: 'owner,staff', invitations: 0 })
  })

  it('has no entry for an attempt to change another seller’s checkout page or key', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const owner = await addOwner(seller)
    const page = await addCheckoutPage(other, { name: 'Theirs', entryPolicy: 'single' }, undefined)
    const key = await createKey({ sellerId: other, name: 'Theirs', scopes: ['full'] })
    expect(await updateCheckoutPage(seller, page, { name: 'Mine', entryPolicy: 'multiple' }, owner)).toBe(false)
    expect(await revokeKey(seller, key.id, owner)).toBe(false)
    expect(await rotateKey(seller, key.id, 0, owner)).toBeUndefined()
    expect((await listEntries(seller)).length).toBe(1)
    expect((await listEntries(other)).length).toBe(2)
    expect(await listCheckoutPages(other)).toEqual([{ id: page, name: 'Theirs', entryPolicy: 'single', ...DEFAULTS }])
  })

  it('can be paged in both directions while entries are appended', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const write = (subject: string) =>
      database().transaction((connection) => writeAudit(connection, { sellerId: seller, by: undefined, action: 'page.added', subject }))
    for (let i = 1; i <= 7; i += 1) await write(String(i))
    const subjects = ({ rows }: { rows: { subject: string }[] }) => rows.map(({ subject }) => subject).join()
    const first = await listAudit(seller, { limit: 3 })
    expect([subjects(first), first.hasPrevious, first.hasNext]).toEqual(['7,6,5', false, true])
    await write('8')
    const second = await listAudit(seller, { limit: 3, starting_after: String(first.rows.at(-1)?.id) })
    expect([subjects(second), second.hasPrevious, second.hasNext]).toEqual(['4,3,2', true, true])
    const third = await listAudit(seller, { limit: 3, starting_after: String(second.rows.at(-1)?.id) })
    expect([subjects(third), third.hasPrevious, third.hasNext]).toEqual(['1', true, false])
    const back = await listAudit(seller, { limit: 3, ending_before: String(second.rows[0]?.id) })
    expect([subjects(back), back.hasPrevious, back.hasNext]).toEqual(['7,6,5', true, true])
    const newest = await listAudit(seller, { limit: 3, ending_before: String(back.rows[0]?.id) })
    expect([subjects(newest), newest.hasPrevious, newest.hasNext]).toEqual(['8', false, true])
    expect((await listAudit(other)).rows).toEqual([])
  })
})

describe('changesBetween', () => {
  it('returns the members that differ, or undefined if there are none', () => {
    expect(changesBetween({ a: 'x', b: ['y'] }, { a: 'x', b: ['y'] })).toBeUndefined()
    expect(changesBetween({ a: 'x', b: null }, { a: 'z', b: null })).toEqual({ a: { before: 'x', after: 'z' } })
  })
})
