/** Invitations: single-use links that create a user. Only the SHA-256 hash of a link's token is stored. */
import { and, desc, eq, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { invitations, sellers } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { instantText } from '../core/sql'
import { AccountError, EmailTakenError } from './account-error'
import { type Actor, writeAudit } from './audit'
import { normalizeEmail } from './email'
import { hashPassword } from './passwords'
import type { Role } from './roles'
import { isOpenInvitation, isValidInvitation, lockTeam, revokeInvitations } from './team'
import { hashToken, isWellFormedToken, newToken } from './token'
import { insertUser } from './users'

/** How long an invitation can be accepted, in days. */
const VALID_DAYS = 7

export type Invitation = {
  id: string
  email: string
  role: Role
  /** This time and the next one are in ISO 8601. */
  createdAt: string
  expiresAt: string
  isExpired: boolean
}

/** Lists a seller's pending invitations, including expired ones, newest first. */
export async function listInvitations(sellerId: string): Promise<Invitation[]> {
  const { id, email, role, createdAt, expiresAt } = invitations
  const times = { createdAt: instantText(createdAt), expiresAt: instantText(expiresAt) }
  return database().use(({ orm }) =>
    orm
      .select({ id, email, role, ...times, isExpired: sql<boolean>`${expiresAt} <= now()` })
      .from(invitations)
      .where(and(eq(invitations.sellerId, sellerId), isOpenInvitation()))
      .orderBy(desc(createdAt), desc(id)),
  )
}

/**
 * Invites a user. Any pending invitation to the same address is revoked.
 *
 * @returns the invitation's ID, and the token for the link, which cannot be retrieved later
 * @throws {EmailTakenError} if the seller already has a user with the address
 * @throws {AccountError} `not_owner`
 */
export function invite(
  sellerId: string,
  { email: address, role }: { email: string; role: Role },
  by: Actor,
): Promise<{ id: string; token: string }> {
  const email = normalizeEmail(address)
  const token = newToken()
  return database().transaction(async (connection) => {
    const team = await lockTeam(connection, sellerId, by)
    if (team.some((member) => member.email === email)) throw new EmailTakenError(email)
    await revokeInvitations(connection, sellerId, eq(invitations.email, email), by)
    const id = newObjectId()
    await connection.orm.insert(invitations).values({
      id,
      sellerId,
      email,
      role,
      hash: hashToken(token),
      invitedBy: by.userId,
      expiresAt: sql`now() + make_interval(days => ${VALID_DAYS})`,
    })
    await writeAudit(connection, { sellerId, by, action: 'invitation.created', subject: email, changes: { role: { after: role } } })
    return { id, token }
  })
}

/** Revokes an invitation. Returns false if the seller has no pending invitation with this ID. */
export function revokeInvitation(sellerId: string, id: string, by: Actor): Promise<boolean> {
  return database().transaction(async (connection) => (await revokeInvitations(connection, sellerId, eq(invitations.id, id), by)) > 0)
}

/** An invitation that can be accepted. */
type ValidInvitation = { email: string; role: Role; sellerName: string }

/** Returns the invitation that a token belongs to, or undefined if there is none or it can no longer be accepted. */
export async function findInvitation(token: string): Promise<ValidInvitation | undefined> {
  if (!isWellFormedToken(token)) return undefined
  const [found] = await database().use(({ orm }) =>
    orm
      .select({ email: invitations.email, role: invitations.role, sellerName: sellers.name })
      .from(invitations)
      .innerJoin(sellers, eq(sellers.id, invitations.sellerId))
      .where(and(eq(invitations.hash, hashToken(token)), isValidInvitation())),
  )
  return found
}

/**
 * Accepts an invitation and creates the user. The update locks the row, so the second of two concurrent calls finds that the invitation was
 * used.
 *
 * @returns the email address to sign in with
 * @throws {AccountError} `invitation_ended`
 * @throws {EmailTakenError} if the seller now has a user with the address; the invitation stays pending
 */
export async function acceptInvitation(token: string, password: string): Promise<string> {
  // Check the token before computing the expensive hash, so that guessed tokens cost little.
  if (!(await findInvitation(token))) throw new AccountError('invitation_ended')
  const passwordHash = await hashPassword(password)
  return database().transaction(async (connection) => {
    const [used] = await connection.orm
      .update(invitations)
      .set({ usedAt: sql`now()` })
      .where(and(eq(invitations.hash, hashToken(token)), isValidInvitation()))
      .returning({ sellerId: invitations.sellerId, email: invitations.email, role: invitations.role })
    if (!used) throw new AccountError('invitation_ended')
    const { sellerId, email, role } = used
    const userId = await insertUser(connection, sellerId, { email, role, passwordHash })
    await writeAudit(connection, {
      sellerId,
      by: { userId, email },
      action: 'user.joined',
      subject: email,
      changes: { role: { after: role } },
    })
    return email
  })
}
