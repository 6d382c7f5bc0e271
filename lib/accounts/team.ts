/** Lists and changes a seller's team. At least one owner always stays active. */
import { and, asc, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { invitations, sellers, twoFactors, users } from '@/db/schema'
import { instantText } from '../core/sql'
import { AccountError } from './account-error'
import { type Actor, writeAudit } from './audit'
import { isOwnBrowserOf, isPendingDeviceOf, revokeDevices } from './check-in-devices'
import { normalizeEmail } from './email'
import { mayUse, type Role } from './roles'
import { endUserSessions } from './sessions'

/** A user as a member of the seller's team. */
export type Member = {
  userId: string
  email: string
  role: Role
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601; null for an active user. */
  disabledAt: string | null
  hasTwoFactor: boolean
}

async function selectTeam({ orm }: Connection, sellerId: string): Promise<Member[]> {
  return orm
    .select({
      userId: users.id,
      email: users.email,
      role: users.role,
      createdAt: instantText(users.createdAt),
      disabledAt: instantText(users.disabledAt),
      hasTwoFactor: sql<boolean>`${twoFactors.userId} is not null`,
    })
    .from(users)
    .leftJoin(twoFactors, eq(twoFactors.userId, users.id))
    .where(eq(users.sellerId, sellerId))
    .orderBy(asc(users.createdAt), asc(users.id))
}

/** Lists a seller's users, including disabled ones, oldest first. */
export const listTeam = (sellerId: string): Promise<Member[]> => database().use((connection) => selectTeam(connection, sellerId))

/**
 * Returns a seller's team. Locks the seller's row until the transaction ends, which serializes changes to the team.
 *
 * @param by undefined for the operator
 * @throws {AccountError} `not_owner` if the actor is a user, but not an active owner
 */
export async function lockTeam(connection: Connection, sellerId: string, by: Actor | undefined): Promise<Member[]> {
  await connection.orm.select({ id: sellers.id }).from(sellers).where(eq(sellers.id, sellerId)).for('no key update')
  const team = await selectTeam(connection, sellerId)
  if (by && !team.some((member) => member.userId === by.userId && isActiveOwner(member))) throw new AccountError('not_owner')
  return team
}

const isActiveOwner = ({ role, disabledAt }: Member) => role === 'owner' && disabledAt === null

/**
 * Checks that the actor does not change their own rights, and that an active owner remains.
 *
 * @throws {AccountError} `yourself`, `last_owner`
 */
function assertMayLoseRights(team: Member[], member: Member, by: Actor | undefined): void {
  if (by?.userId === member.userId) throw new AccountError('yourself')
  if (isActiveOwner(member) && team.filter(isActiveOwner).length === 1) throw new AccountError('last_owner')
}

/** Returns the SQL condition for invitations that were neither used nor revoked. */
export const isOpenInvitation = () => and(isNull(invitations.usedAt), isNull(invitations.revokedAt))
/** Returns the SQL condition for invitations that can be accepted. */
export const isValidInvitation = () => and(isOpenInvitation(), sql`${invitations.expiresAt} > now()`)

/** Revokes a seller's pending invitations that match a condition. Returns the number of revoked invitations. */
export async function revokeInvitations(
  connection: Connection,
  sellerId: string,
  condition: SQL | undefined,
  by: Actor | undefined,
): Promise<number> {
  const revoked = await connection.orm
    .update(invitations)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(invitations.sellerId, sellerId), isOpenInvitation(), condition))
    .returning({ email: invitations.email })
  for (const { email } of revoked) await writeAudit(connection, { sellerId, by, action: 'invitation.revoked', subject: email })
  return revoked.length
}

/** Returns the SQL condition for the valid invitations that a member sent. They are revoked if the member can no longer invite. */
const sentBy = ({ userId }: Member) => and(eq(invitations.invitedBy, userId), isValidInvitation())

/** Identifies a user by ID or by email address, ignoring letter case. */
export type UserRef = { userId: string } | { email: string }

/** Returns a member of the team. @throws {AccountError} `user_not_found` */
export function findMember(team: Member[], user: UserRef): Member {
  const member = team.find(({ userId, email }) => ('userId' in user ? userId === user.userId : email === normalizeEmail(user.email)))
  if (!member) throw new AccountError('user_not_found')
  return member
}

/**
 * Changes a user's role. Revokes the valid invitations that they sent if they were an owner, and the setup codes that they created if they
 * can no longer set up devices for others.
 *
 * @throws {AccountError} `user_not_found`, `yourself`, `last_owner`, `not_owner`
 */
export function changeRole(sellerId: string, user: UserRef, role: Role, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const team = await lockTeam(connection, sellerId, by)
    const member = findMember(team, user)
    if (member.role === role) return
    assertMayLoseRights(team, member, by)
    await connection.orm.update(users).set({ role }).where(eq(users.id, member.userId))
    await writeAudit(connection, {
      sellerId,
      by,
      action: 'user.role_changed',
      subject: member.email,
      changes: { role: { before: member.role, after: role } },
    })
    if (member.role === 'owner') await revokeInvitations(connection, sellerId, sentBy(member), by)
    if (!mayUse(role, 'records')) await revokeDevices(connection, sellerId, isPendingDeviceOf(member.userId), by)
  })
}

/**
 * Disables a user and ends their sessions. Revokes the valid invitations that they sent, the setup codes that they created, and the devices
 * in their own browsers. Idempotent.
 *
 * @throws {AccountError} the same codes as `changeRole`
 */
export function disableMember(sellerId: string, user: UserRef, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const team = await lockTeam(connection, sellerId, by)
    const member = findMember(team, user)
    if (member.disabledAt !== null) return
    assertMayLoseRights(team, member, by)
    await connection.orm.update(users).set({ disabledAt: sql`now()` }).where(eq(users.id, member.userId))
    await endUserSessions(connection, member.userId)
    await writeAudit(connection, { sellerId, by, action: 'user.disabled', subject: member.email })
    await revokeInvitations(connection, sellerId, sentBy(member), by)
    await revokeDevices(connection, sellerId, or(isPendingDeviceOf(member.userId), isOwnBrowserOf(member.userId)), by)
  })
}

/** Enables a disabled user, who keeps their password. @throws {AccountError} `user_not_found`, `not_owner` */
export function enableMember(sellerId: string, user: UserRef, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const member = findMember(await lockTeam(connection, sellerId, by), user)
    if (member.disabledAt === null) return
    await connection.orm.update(users).set({ disabledAt: null }).where(eq(users.id, member.userId))
    await writeAudit(connection, { sellerId, by, action: 'user.enabled', subject: member.email })
  })
}

/**
 * Requires two-factor authentication of every user of a seller, or makes it optional.
 *
 * @throws {AccountError} `not_owner`; `two_factor_missing` if the actor requires it without having turned it on for themselves
 */
export function changeTwoFactorRequirement(sellerId: string, isRequired: boolean, by: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const team = await lockTeam(connection, sellerId, by)
    if (isRequired && !findMember(team, { userId: by.userId }).hasTwoFactor) throw new AccountError('two_factor_missing')
    const changed = await connection.orm
      .update(sellers)
      .set({ requiresTwoFactor: isRequired })
      .where(and(eq(sellers.id, sellerId), ne(sellers.requiresTwoFactor, isRequired)))
      .returning({ name: sellers.name })
    const action = isRequired ? 'two_factor.required' : 'two_factor.not_required'
    for (const { name } of changed) await writeAudit(connection, { sellerId, by, action, subject: name })
  })
}
