/** Tests of the team: it always keeps an active owner, changes take effect immediately, and password changes are safe. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeDevice } from '@/testing/devices'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { listAudit } from '../listing/list-audit'
import { AccountError, TooManyAttemptsError } from './account-error'
import { changePassword } from './change-password'
import { createDevice, type DeviceSettings, listDevices } from './check-in-devices'
import { readCredentialsHash } from './credentials'
import { acceptInvitation, findInvitation, invite } from './invitations'
import type { Role } from './roles'
import { createSession, findSessionUser } from './sessions'
import { signIn } from './sign-in'
import { changeRole, disableMember, enableMember, listTeam } from './team'
import { addUser, setPassword } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'
let memberCount = 0

async function addMember(sellerId: string, role: Role) {
  memberCount += 1
  const email = `member-${memberCount}-${sellerId}@example.com`
  return { userId: await addUser(sellerId, { email, password: PASSWORD, role }), email }
}

async function startSession({ email }: { email: string }, password = PASSWORD): Promise<string> {
  const result = await signIn(email, password, `address of ${email} ${Math.random()}`)
  if (result.outcome !== 'signed_in') throw new Error(result.outcome)
  return result.sessionId
}

/** Returns the code of the `AccountError` that `work` rejects with, or `done` if it succeeds. */
const readCode = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof AccountError) return error.code
      throw error
    },
  )

const countActiveOwners = async (sellerId: string) =>
  (await listTeam(sellerId)).filter(({ role, disabledAt }) => role === 'owner' && disabledAt === null).length

const listActions = async (sellerId: string) => (await listAudit(sellerId)).rows.map(({ action, subject }) => `${action} ${subject}`)

describe('the last owner', () => {
  it('can be neither disabled nor demoted, not even by the operator', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    await addMember(seller, 'staff')
    expect(await readCode(disableMember(seller, owner))).toBe('last_owner')
    expect(await readCode(changeRole(seller, owner, 'staff'))).toBe('last_owner')
    expect(await readCode(disableMember(seller, { email: owner.email }))).toBe('last_owner')
    const second = await addMember(seller, 'owner')
    await disableMember(seller, second)
    // A disabled owner does not count.
    expect(await readCode(disableMember(seller, owner))).toBe('last_owner')
    expect(await countActiveOwners(seller)).toBe(1)
  })

  it('stays active when several owners are removed concurrently', async () => {
    const seller = await makeSeller()
    const owners = await Promise.all([1, 2, 3, 4].map(() => addMember(seller, 'owner')))
    const outcomes = await Promise.all(
      owners.map((owner, index) => readCode(index % 2 ? disableMember(seller, owner) : changeRole(seller, owner, 'door'))),
    )
    expect(outcomes.toSorted()).toEqual(['done', 'done', 'done', 'last_owner'])
    expect(await countActiveOwners(seller)).toBe(1)
  })

  it('stays active when two owners remove each other: the first change wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      const seller = await makeSeller()
      const [a, b] = [await addMember(seller, 'owner'), await addMember(seller, 'owner')]
      const outcomes = await Promise.all([readCode(disableMember(seller, b, a)), readCode(changeRole(seller, a, 'staff', b))])
      expect(outcomes.toSorted()).toEqual(['done', 'not_owner'])
      expect(await countActiveOwners(seller)).toBe(1)
    }
  })
})

describe('a change to the team', () => {
  it('is rejected for the actor’s own account, for actors who are not owners, and for users of another seller', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const [owner, staff, foreign] = [await addMember(seller, 'owner'), await addMember(seller, 'staff'), await addMember(other, 'staff')]
    await addMember(seller, 'owner')
    expect(await readCode(disableMember(seller, owner, owner))).toBe('yourself')
    expect(await readCode(changeRole(seller, owner, 'staff', owner))).toBe('yourself')
    expect(await readCode(disableMember(seller, owner, staff))).toBe('not_owner')
    for (const target of [foreign, { userId: foreign.userId }, { email: foreign.email }]) {
      expect(await readCode(disableMember(seller, target, owner))).toBe('user_not_found')
      expect(await readCode(enableMember(seller, target, owner))).toBe('user_not_found')
      expect(await readCode(changeRole(seller, target, 'owner', owner))).toBe('user_not_found')
    }
    expect((await listTeam(other)).map(({ role, disabledAt }) => [role, disabledAt])).toEqual([['staff', null]])
    expect(await listActions(other)).toEqual([`user.added ${foreign.email}`])
  })

  it('that disables a user ends their sessions and revokes their invitations, which enabling the user does not restore', async () => {
    const seller = await makeSeller()
    const [owner, second] = [await addMember(seller, 'owner'), await addMember(seller, 'owner')]
    const session = await startSession(second)
    const { token } = await invite(seller, { email: `invited-${seller}@example.com`, role: 'owner' }, second)
    expect(await findSessionUser(session)).toMatchObject({ role: 'owner' })
    await changeRole(seller, second, 'owner', owner)
    await disableMember(seller, second, owner)
    await disableMember(seller, second, owner)
    expect(await findSessionUser(session)).toBeUndefined()
    expect(await findInvitation(token)).toBeUndefined()
    expect((await signIn(second.email, PASSWORD, 'somewhere')).outcome).toBe('wrong')
    await enableMember(seller, second, owner)
    await enableMember(seller, second, owner)
    expect(await findSessionUser(session)).toBeUndefined()
    expect(await findInvitation(token)).toBeUndefined()
    const next = await startSession(second)
    await changeRole(seller, second, 'door', owner)
    expect(await findSessionUser(next)).toMatchObject({ role: 'door' })
    expect((await listActions(seller)).slice(0, 5)).toEqual([
      `user.role_changed ${second.email}`,
      `user.enabled ${second.email}`,
      `invitation.revoked invited-${seller}@example.com`,
      `user.disabled ${second.email}`,
      `invitation.created invited-${seller}@example.com`,
    ])
    const [change] = (await listAudit(seller)).rows
    expect(change).toMatchObject({ email: owner.email, changes: { role: { before: 'owner', after: 'door' } } })
  })
})

describe('disabling an owner', () => {
  it('revokes only the valid invitations that the owner sent', async () => {
    const seller = await makeSeller()
    const [owner, second] = [await addMember(seller, 'owner'), await addMember(seller, 'owner')]
    const send = (by: typeof owner, name: string) => invite(seller, { email: `${name}-${seller}@example.com`, role: 'door' }, by)
    const [used, expired, open, other] = [
      await send(second, 'used'),
      await send(second, 'expired'),
      await send(second, 'open'),
      await send(owner, 'other'),
    ]
    await acceptInvitation(used.token, PASSWORD)
    await database().use(({ rows }) => rows(sql`update invitations set expires_at = now() where id = ${expired.id}`))
    await disableMember(seller, second, owner)
    expect(await findInvitation(open.token)).toBeUndefined()
    expect(await findInvitation(other.token)).toBeDefined()
    expect((await listActions(seller)).slice(0, 3)).toEqual([
      `invitation.revoked open-${seller}@example.com`,
      `user.disabled ${second.email}`,
      `user.joined used-${seller}@example.com`,
    ])
  })
})

describe('the check-in devices of a user', () => {
  const settings = { pageIds: [], rights: [], days: 30 } satisfies Omit<DeviceSettings, 'name'>

  async function addDevices(seller: string, by: { userId: string; email: string }) {
    await makeDevice(seller, by, { ...settings, name: 'Gate 1' })
    await makeDevice(seller, by, { ...settings, name: 'Own browser', rights: ['session'] })
    await createDevice(seller, { ...settings, name: 'Pending' }, by)
  }
  const listRevoked = async (seller: string) =>
    (await listDevices(seller))
      .filter(({ state }) => state === 'revoked')
      .map(({ name, createdBy }) => `${name} of ${createdBy}`)
      .toSorted()

  it('are revoked when the user is disabled, except those that are already set up for others', async () => {
    const seller = await makeSeller()
    const [owner, staff] = [await addMember(seller, 'owner'), await addMember(seller, 'staff')]
    await addDevices(seller, owner)
    await addDevices(seller, staff)
    await disableMember(seller, staff, owner)
    expect(await listRevoked(seller)).toEqual([`Own browser of ${staff.email}`, `Pending of ${staff.email}`])
    expect((await listActions(seller)).slice(0, 3).toSorted()).toEqual([
      'device.revoked Own browser',
      'device.revoked Pending',
      `user.disabled ${staff.email}`,
    ])
    await enableMember(seller, staff, owner)
    expect(await listRevoked(seller)).toHaveLength(2)
  })

  it('can no longer be set up with the user’s codes once the user may no longer create devices', async () => {
    const seller = await makeSeller()
    const [owner, member] = [await addMember(seller, 'owner'), await addMember(seller, 'owner')]
    await addDevices(seller, member)
    await changeRole(seller, member, 'staff', owner)
    expect(await listRevoked(seller)).toEqual([])
    await changeRole(seller, member, 'door', owner)
    expect(await listRevoked(seller)).toEqual([`Pending of ${member.email}`])
  })
})

describe('changing a password', () => {
  it('requires the current password, keeps the current session and ends the others', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    const user = { ...owner, sellerId: seller }
    const [current, otherSession] = [await startSession(owner), await startSession(owner)]
    expect(await readCode(changePassword(user, current, { old: 'not the old one', next: 'another password' }))).toBe('password_wrong')
    expect(await findSessionUser(otherSession)).toBeDefined()
    await changePassword(user, current, { old: PASSWORD, next: 'another password' })
    expect(await findSessionUser(current)).toBeDefined()
    expect(await findSessionUser(otherSession)).toBeUndefined()
    expect((await signIn(owner.email, PASSWORD, 'a')).outcome).toBe('wrong')
    await startSession(owner, 'another password')
    // If the operator sets a password, the current session ends too.
    await setPassword(seller, owner.email, PASSWORD)
    expect(await findSessionUser(current)).toBeUndefined()
    expect((await listAudit(seller)).rows.map(({ action, email }) => [action, email])).toEqual([
      ['password.set', null],
      ['password.changed', owner.email],
      ['user.added', null],
    ])
  })

  it('is throttled after five wrong passwords, which also count as sign-in attempts', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    const user = { ...owner, sellerId: seller }
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await readCode(changePassword(user, 'session', { old: `wrong ${tries}`, next: 'another password' }))).toBe('password_wrong')
    }
    await expect(changePassword(user, 'session', { old: PASSWORD, next: 'another password' })).rejects.toThrow(TooManyAttemptsError)
    expect((await signIn(owner.email, PASSWORD, 'elsewhere')).outcome).toBe('too_many_attempts')
    // A device that has signed in before has a separate limit.
    const device = { users: [{ id: owner.userId, credentialsHash: String(await readCredentialsHash(owner.userId)) }] }
    await changePassword(user, 'session', { old: PASSWORD, next: 'another password' }, device)
  })

  it('resets the count of wrong passwords once it succeeds', async () => {
    const seller = await makeSeller()
    const user = { ...(await addMember(seller, 'owner')), sellerId: seller }
    const change = (old: string, next: string) => readCode(changePassword(user, 'session', { old, next }))
    for (let count = 0; count < 4; count += 1) expect(await change('wrong', 'another password')).toBe('password_wrong')
    expect(await change(PASSWORD, 'another password')).toBe('done')
    for (let count = 0; count < 4; count += 1) expect(await change('wrong', PASSWORD)).toBe('password_wrong')
    expect(await change('another password', PASSWORD)).toBe('done')
  })

  it('fails if the operator sets a new password at the same time', async () => {
    const seller = await makeSeller()
    const owner = await addMember(seller, 'owner')
    let changing: Promise<unknown> | undefined
    await database().transaction(async (connection) => {
      await connection.rows(sql`update users set password_hash = 'set by the operator' where id = ${owner.userId}`)
      changing = readCode(changePassword({ ...owner, sellerId: seller }, 'session', { old: PASSWORD, next: 'another password' }))
      await untilBlocking(connection)
    })
    expect(await changing).toBe('password_wrong')
    const [user] = await database().use(({ rows }) =>
      rows<{ hash: string }>(sql`select password_hash as hash from users where id = ${owner.userId}`),
    )
    expect(user?.hash).toBe('set by the operator')
  })

  it('is rejected for the operator if the user belongs to another seller', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const owner = await addMember(seller, 'owner')
    expect(await readCode(setPassword(other, owner.email, 'another password'))).toBe('user_not_found')
    await startSession(owner)
    expect(await listActions(other)).toEqual([])
  })

  it('prevents new sessions with a password that is being replaced', async () => {
    const seller = await makeSeller()
    const { userId } = await addMember(seller, 'owner')
    const hashNow = async () => String(await readCredentialsHash(userId))
    const old = await hashNow()
    let creating: Promise<string | undefined> | undefined
    await database().transaction(async (connection) => {
      await connection.rows(sql`update users set password_hash = 'another' where id = ${userId}`)
      creating = createSession(userId, old)
      await untilBlocking(connection)
    })
    expect(await creating).toBeUndefined()
    expect(await createSession(userId, await hashNow())).toBeDefined()
  })
})
