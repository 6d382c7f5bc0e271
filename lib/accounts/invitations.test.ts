/** Invitations are single-use, and an invalid link does not reveal why it is invalid. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { listAudit } from '../listing/list-audit'
import { EmailTakenError } from './account-error'
import { acceptInvitation, findInvitation, invite, listInvitations, revokeInvitation } from './invitations'
import { signIn } from './sign-in'
import { changeRole, listTeam } from './team'
import { addUser } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'

async function makeShop() {
  const seller = await makeSeller()
  const email = `owner-${seller}@example.com`
  return {
    seller,
    owner: { userId: await addUser(seller, { email, password: PASSWORD, role: 'owner' }), email },
    guest: `guest-${seller}@example.com`,
  }
}

describe('an invitation', () => {
  it('stores only a hash of its token, and creates the user when it is accepted', async () => {
    const { seller, owner, guest } = await makeShop()
    const { token } = await invite(seller, { email: guest, role: 'staff' }, owner)
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const stored = await database().use(({ rows }) =>
      rows<{ text: string }>(sql`
        select to_json(i)::text as text from invitations i where seller_id = ${seller}
        union all select to_json(a)::text from audit_log a where seller_id = ${seller}`),
    )
    expect(stored.length).toBe(3)
    for (const { text } of stored) expect(text).not.toContain(token.slice(0, 12))
    expect(await findInvitation(token)).toEqual({ email: guest, role: 'staff', sellerName: 'Test' })
    expect(await acceptInvitation(token, PASSWORD)).toBe(guest)
    expect((await signIn(guest, PASSWORD, 'a')).outcome).toBe('signed_in')
    expect((await listTeam(seller)).map(({ email, role }) => [email, role])).toEqual([
      [owner.email, 'owner'],
      [guest, 'staff'],
    ])
    expect(await listInvitations(seller)).toEqual([])
    expect((await listAudit(seller)).rows[0]).toMatchObject({
      action: 'user.joined',
      email: guest,
      changes: { role: { after: 'staff' } },
    })
  })

  it('is accepted only once, even by concurrent calls', async () => {
    const { seller, owner, guest } = await makeShop()
    const { token } = await invite(seller, { email: guest, role: 'door' }, owner)
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((i) => acceptInvitation(token, `${PASSWORD} ${i}`)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'invitation_ended' })
    expect((await listTeam(seller)).length).toBe(2)
    expect((await listAudit(seller)).rows.filter(({ action }) => action === 'user.joined').length).toBe(1)
  })

  it('is rejected with the same error if it has expired, was used, revoked or replaced, or never existed', async () => {
    const { seller, owner, guest } = await makeShop()
    const used = await invite(seller, { email: guest, role: 'door' }, owner)
    await acceptInvitation(used.token, PASSWORD)
    const make = (i: number) => invite(seller, { email: `${i}-${guest}`, role: 'door' }, owner)
    const [expired, revoked, replaced] = [await make(1), await make(2), await make(3)]
    await database().use(({ rows }) => rows(sql`update invitations set expires_at = now() where id = ${expired.id}`))
    expect(await revokeInvitation(seller, revoked.id, owner)).toBe(true)
    expect(await revokeInvitation(seller, revoked.id, owner)).toBe(false)
    await invite(seller, { email: `3-${guest}`.toUpperCase(), role: 'staff' }, owner)
    for (const token of [used.token, expired.token, revoked.token, replaced.token, 'A'.repeat(43), '', "'", '\0']) {
      expect(await findInvitation(token)).toBeUndefined()
      await expect(acceptInvitation(token, PASSWORD)).rejects.toMatchObject({ code: 'invitation_ended' })
    }
    expect((await listInvitations(seller)).map(({ role, isExpired }) => [role, isExpired])).toEqual([
      ['staff', false],
      ['door', true],
    ])
  })

  it('cannot be sent to an existing user of the shop, and stays pending if its email address is taken later', async () => {
    const { seller, owner, guest } = await makeShop()
    for (const email of [owner.email, owner.email.toUpperCase(), ` ${owner.email} `]) {
      await expect(invite(seller, { email, role: 'door' }, owner)).rejects.toThrow(EmailTakenError)
    }
    const { token } = await invite(seller, { email: guest, role: 'door' }, owner)
    await addUser(seller, { email: guest, password: PASSWORD, role: 'door' })
    await expect(acceptInvitation(token, PASSWORD)).rejects.toThrow(EmailTakenError)
    expect(await findInvitation(token)).toBeDefined()
    expect((await listAudit(seller)).rows.map(({ action }) => action)).toEqual(['user.added', 'invitation.created', 'user.added'])
  })

  it('creates a separate user if another shop has a user with the same email address', async () => {
    const { seller, owner } = await makeShop()
    const other = await makeShop()
    const { token } = await invite(seller, { email: other.owner.email, role: 'door' }, owner)
    expect(await acceptInvitation(token, 'a stranger’s password')).toBe(other.owner.email)
    expect(await signIn(other.owner.email, PASSWORD, 'a')).toMatchObject({ outcome: 'signed_in', userId: other.owner.userId })
    const result = await signIn(other.owner.email, 'a stranger’s password', 'a')
    expect(result).toMatchObject({ outcome: 'signed_in' })
    expect(result).not.toMatchObject({ userId: other.owner.userId })
    expect((await listTeam(other.seller)).map(({ email, role }) => [email, role])).toEqual([[other.owner.email, 'owner']])
    // A third shop can still invite the same address.
    const third = await makeShop()
    await invite(third.seller, { email: other.owner.email, role: 'staff' }, third.owner)
  })

  it('can be created only by an active owner, cannot be revoked by another shop, and is revoked when its creator is demoted', async () => {
    const { seller, owner, guest } = await makeShop()
    const other = await makeShop()
    const { id, token } = await invite(seller, { email: guest, role: 'owner' }, owner)
    expect(await revokeInvitation(other.seller, id, other.owner)).toBe(false)
    await expect(invite(other.seller, { email: `x-${guest}`, role: 'owner' }, owner)).rejects.toMatchObject({ code: 'not_owner' })
    expect(await findInvitation(token)).toBeDefined()
    await addUser(seller, { email: `second-${guest}`, password: PASSWORD, role: 'owner' })
    await changeRole(seller, owner, 'staff')
    expect(await findInvitation(token)).toBeUndefined()
    await expect(invite(seller, { email: `y-${guest}`, role: 'owner' }, owner)).rejects.toMatchObject({ code: 'not_owner' })
  })
})
