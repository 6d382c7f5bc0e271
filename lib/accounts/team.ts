/** A seller's team: who may sign in, as what, and that there is always an owner who can. */
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { invitations, sellers, users } from '@/db/schema'
import { Refusal } from './account-error'
import { type Actor, writeAudit } from './audit'
import type { Role } from './roles'
import { endSessionsOf } from './sessions'

export type Member = {
  userId: string
  email: string
  role: Role
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601; null while they may sign in. */
  disabledAt: string | null
}

async function selectTeam({ orm }: Connection, sellerId: string): Promise<Member[]> {
  const rows = await orm
    .select({ userId: users.id, email: users.email, role: users.role, createdAt: users.createdAt, disabledAt: users.disabledAt })
    .from(users)
    .where(eq(users.sellerId, sellerId))
    .orderBy(asc(users.createdAt), asc(users.id))
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt).toISOString(),
    disabledAt: row.disabledAt === null ? null : new Date(row.disabledAt).toISOString(),
  }))
}

/** Every user of a seller, disabled ones too, in the order in which they came. */
export const listTeam = (sellerId: string): Promise<Member[]> => database().use((connection) => selectTeam(connection, sellerId))

/**
 * The team as it is, held until the transaction ends: changes of one team come one after the other, on the seller's row.
 *
 * @throws {Refusal} `not_owner` where whoever asks has been disabled or demoted in the meantime
 */
export async function lockTeam(connection: Connection, sellerId: string, by: Actor): Promise<Member[]> {
  await connection.orm.select({ id: sellers.id }).from(sellers).where(eq(sellers.id, sellerId)).for('no key update')
  const team = await selectTeam(connection, sellerId)
  if (by && !team.some((member) => member.userId === by.userId && isActiveOwner(member))) throw new Refusal('not_owner')
  return team
}

const isActiveOwner = ({ role, disabledAt }: Member) => role === 'owner' && disabledAt === null

/** Nobody takes a right from themself, nor the last owner from the seller. */
function mayLose(team: Member[], member: Member, by: Actor): void {
  if (by?.userId === member.userId) throw new Refusal('yourself')
  if (isActiveOwner(member) && team.filter(isActiveOwner).length === 1) throw new Refusal('last_owner')
}

/** Invitations are worth what their sender is: they end where that one may invite no longer. */
async function endInvitationsOf(connection: Connection, sellerId: string, member: Member, by: Actor): Promise<void> {
  const ended = await connection.orm
    .update(invitations)
    .set({ revokedAt: sql`now()` })
    .where(
      and(
        eq(invitations.sellerId, sellerId),
        eq(invitations.invitedBy, member.userId),
        isNull(invitations.usedAt),
        isNull(invitations.revokedAt),
        gt(invitations.expiresAt, sql`now()`),
      ),
    )
    .returning({ email: invitations.email })
  for (const { email } of ended) await writeAudit(connection, { sellerId, by, action: 'invitation.revoked', subject: email })
}

/** Which user is meant: by id, or by e-mail address whatever its case. */
export type Which = { userId: string } | { email: string }

function pick(team: Member[], which: Which): Member {
  const member = team.find((one) =>
    'userId' in which ? one.userId === which.userId : one.email.toLowerCase() === which.email.trim().toLowerCase(),
  )
  if (!member) throw new Refusal('user_unknown')
  return member
}

/** Gives a user another role. @throws {Refusal} `user_unknown`, `yourself`, `last_owner`, `not_owner` */
export function changeRole(sellerId: string, which: Which, role: Role, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const team = await lockTeam(connection, sellerId, by)
    const member = pick(team, which)
    if (member.role === role) return
    mayLose(team, member, by)
    await connection.orm.update(users).set({ role }).where(eq(users.id, member.userId))
    await writeAudit(connection, {
      sellerId,
      by,
      action: 'user.role_changed',
      subject: member.email,
      changes: { role: { before: member.role, after: role } },
    })
    if (member.role === 'owner') await endInvitationsOf(connection, sellerId, member, by)
  })
}

/** Ends a user's access, every session and open invitation of theirs included. Twice is once. @throws {Refusal} as `changeRole` does */
export function disableMember(sellerId: string, which: Which, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const team = await lockTeam(connection, sellerId, by)
    const member = pick(team, which)
    if (member.disabledAt !== null) return
    mayLose(team, member, by)
    await connection.orm.update(users).set({ disabledAt: sql`now()` }).where(eq(users.id, member.userId))
    await endSessionsOf(connection, member.userId)
    await writeAudit(connection, { sellerId, by, action: 'user.disabled', subject: member.email })
    await endInvitationsOf(connection, sellerId, member, by)
  })
}

/** Lets a user sign in again, with the password they had. @throws {Refusal} `user_unknown`, `not_owner` */
export function enableMember(sellerId: string, which: Which, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const member = pick(await lockTeam(connection, sellerId, by), which)
    if (member.disabledAt === null) return
    await connection.orm.update(users).set({ disabledAt: null }).where(eq(users.id, member.userId))
    await writeAudit(connection, { sellerId, by, action: 'user.enabled', subject: member.email })
  })
}
