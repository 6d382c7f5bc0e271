/** The team: there is always an owner, nobody locks themself out, and who is out is out at once. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { listAudit } from '../listing/list-audit'
import { Refusal, SlowedDown } from './account-error'
import { changePassword } from './change-password'
import { findInvitation, invite } from './invitations'
import type { Role } from './roles'
import { createSession, findPerson } from './sessions'
import { signIn } from './sign-in'
import { changeRole, disableMember, enableMember, listTeam } from './team'
import { addUser, disableUser, setPassword } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'
let made = 0

async function addMember(sellerId: string, role: Role) {
  made += 1
  const email = `member-${made}-${sellerId}@example.com`
  return { userId: await addUser(sellerId, { email, password: PASSWORD, role }), email }
}

async function signedIn({ email }: { email: string }, password = PASSWORD): Promise<string> {
  const result = await signIn(email, password, `address of ${email} ${Math.random()}`)
  if (result.outcome !== 'signed_in') throw new Error(result.outcome)
  return result.sessionId
}

/** The reason of a refusal, or that there was none. */
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.reason
      throw error
    },
  )

const activeOwners = async (sellerId: string) =>
  (await listTeam(sellerId)).filter(({ role, disabledAt }) => role === 'owner' && disabledAt === null).length

const actions = async (sellerId: string) => (await listAudit(sellerId)).entries.map(({ action, subject }) => `${action} ${subject}`)

describe('the last owner', () => {
  it('can be neither disabled nor demoted, also by the operator', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    await addMember(seller, 'staff')
    expect(await reasonOf(disableMember(seller, owner))).toBe('last_owner')
    expect(await reasonOf(changeRole(seller, owner, 'staff'))).toBe('last_owner')
    expect(await reasonOf(disableUser(seller, owner.email))).toBe('last_owner')
    const second = await addMember(seller, 'owner')
    await disableMember(seller, second)
    // One who is disabled is no owner to rely on.
    expect(await reasonOf(disableMember(seller, owner))).toBe('last_owner')
    expect(await activeOwners(seller)).toBe(1)
  })

  it('stays when several owners are taken away at the same moment', async () => {
    const seller = await makeSeller()
    const owners = await Promise.all([1, 2, 3, 4].map(() => addMember(seller, 'owner')))
    const outcomes = await Promise.all(
      owners.map((owner, at) => reasonOf(at % 2 ? disableMember(seller, owner) : changeRole(seller, owner, 'door'))),
    )
    expect(outcomes.toSorted()).toEqual(['done', 'done', 'done', 'last_owner'])
    expect(await activeOwners(seller)).toBe(1)
  })

  it('stays when two owners disable each other: the first one wins, and the second is no owner any more', async () => {
    for (let round = 0; round < 5; round += 1) {
      const seller = await makeSeller()
      const [a, b] = [await addMember(seller, 'owner'), await addMember(seller, 'owner')]
      const outcomes = await Promise.all([reasonOf(disableMember(seller, b, a)), reasonOf(changeRole(seller, a, 'staff', b))])
      expect(outcomes.toSorted()).toEqual(['done', 'not_owner'])
      expect(await activeOwners(seller)).toBe(1)
    }
  })
})

describe('a change of the team', () => {
  it('is never made to oneself, by who is no owner, or to another seller’s user', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const [owner, staff, foreign] = [await addMember(seller, 'owner'), await addMember(seller, 'staff'), await addMember(other, 'staff')]
    await addMember(seller, 'owner')
    expect(await reasonOf(disableMember(seller, owner, owner))).toBe('yourself')
    expect(await reasonOf(changeRole(seller, owner, 'staff', owner))).toBe('yourself')
    expect(await reasonOf(disableMember(seller, owner, staff))).toBe('not_owner')
    for (const which of [foreign, { userId: foreign.userId }, { email: foreign.email }]) {
      expect(await reasonOf(disableMember(seller, which, owner))).toBe('user_unknown')
      expect(await reasonOf(enableMember(seller, which, owner))).toBe('user_unknown')
      expect(await reasonOf(changeRole(seller, which, 'owner', owner))).toBe('user_unknown')
    }
    expect((await listTeam(other)).map(({ role, disabledAt }) => [role, disabledAt])).toEqual([['staff', null]])
    expect(await actions(other)).toEqual([`user.added ${foreign.email}`])
  })

  it('counts at once: a disabled user’s sessions and invitations end, and enabling brings neither back', async () => {
    const seller = await makeSeller()
    const [owner, second] = [await addMember(seller, 'owner'), await addMember(seller, 'owner')]
    const session = await signedIn(second)
    const { token } = await invite(seller, { email: `invited-${seller}@example.com`, role: 'owner' }, second)
    expect(await findPerson(session)).toMatchObject({ role: 'owner' })
    await changeRole(seller, second, 'owner', owner)
    await disableMember(seller, second, owner)
    await disableMember(seller, second, owner)
    expect(await findPerson(session)).toBeUndefined()
    expect(await findInvitation(token)).toBeUndefined()
    expect((await signIn(second.email, PASSWORD, 'somewhere')).outcome).toBe('wrong')
    await enableMember(seller, second, owner)
    await enableMember(seller, second, owner)
    expect(await findPerson(session)).toBeUndefined()
    expect(await findInvitation(token)).toBeUndefined()
    const next = await signedIn(second)
    await changeRole(seller, second, 'door', owner)
    expect(await findPerson(next)).toMatchObject({ role: 'door' })
    expect((await actions(seller)).slice(0, 5)).toEqual([
      `user.role_changed ${second.email}`,
      `user.enabled ${second.email}`,
      `invitation.revoked invited-${seller}@example.com`,
      `user.disabled ${second.email}`,
      `invitation.created invited-${seller}@example.com`,
    ])
    const [change] = (await listAudit(seller)).entries
    expect(change).toMatchObject({ email: owner.email, changes: { role: { before: 'owner', after: 'door' } } })
  })
})

describe('one’s own password', () => {
  it('is changed by who knows the old one; every other session ends and this one stays', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    const person = { ...owner, sellerId: seller }
    const [here, there] = [await signedIn(owner), await signedIn(owner)]
    expect(await reasonOf(changePassword(person, here, { old: 'not the old one', next: 'another password' }))).toBe('password_wrong')
    expect(await findPerson(there)).toBeDefined()
    await changePassword(person, here, { old: PASSWORD, next: 'another password' })
    expect(await findPerson(here)).toBeDefined()
    expect(await findPerson(there)).toBeUndefined()
    expect((await signIn(owner.email, PASSWORD, 'a')).outcome).toBe('wrong')
    await signedIn(owner, 'another password')
    // The operator's way ends this one too.
    await setPassword(seller, owner.email, PASSWORD)
    expect(await findPerson(here)).toBeUndefined()
    expect((await listAudit(seller)).entries.map(({ action, email }) => [action, email])).toEqual([
      ['password.set', null],
      ['password.changed', owner.email],
      ['user.added', null],
    ])
  })

  it('is slowed down after five wrong ones, together with signing in', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    const person = { ...owner, sellerId: seller }
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await reasonOf(changePassword(person, 'session', { old: `wrong ${tries}`, next: 'another password' }))).toBe('password_wrong')
    }
    await expect(changePassword(person, 'session', { old: PASSWORD, next: 'another password' })).rejects.toThrow(SlowedDown)
    expect((await signIn(owner.email, PASSWORD, 'elsewhere')).outcome).toBe('slowed')
  })

  it('opens no session any more once its replacement is under way', async () => {
    const seller = await makeSeller()
    const { userId } = await addMember(seller, 'owner')
    const hashNow = () =>
      database().use(async ({ rows }) =>
        String((await rows<{ hash: string }>(sql`select password_hash as hash from users where id = ${userId}`))[0]?.hash),
      )
    const old = await hashNow()
    let signing: Promise<string | undefined> | undefined
    await database().transaction(async ({ rows }) => {
      await rows(sql`update users set password_hash = 'another' where id = ${userId}`)
      signing = createSession(userId, old)
      // It waits on the row until this transaction has ended. Asked outside of it: a transaction sees the activity of its first look.
      const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into "sessions"%'`
      await expect.poll(async () => (await database().use((other) => other.rows(waiting))).length, { timeout: 3_000 }).toBe(1)
    })
    expect(await signing).toBeUndefined()
    expect(await createSession(userId, await hashNow())).toBeDefined()
  })
})
