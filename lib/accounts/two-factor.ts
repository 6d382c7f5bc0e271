/** Two-factor authentication: time-based one-time passwords (RFC 6238), and single-use recovery codes. */
import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { type Connection, database } from '@/db/client'
import { sellers, twoFactors } from '@/db/schema'
import { log } from '../core/log'
import { seal, tryUnseal } from '../core/seal'
import { AccountError } from './account-error'
import { type Actor, writeAudit } from './audit'
import { verifyOwnPassword } from './change-password'
import { readCredentialsHash } from './credentials'
import { lockUser } from './lock-user'
import { endUserSessions, type SessionUser } from './sessions'
import { countAttempt, forgetFailures, type KnownDevice, undoAttempts, userSubject } from './sign-in-throttle'
import { findMember, lockTeam, type UserRef } from './team'

const ISSUER = 'Checkout Desk'
/** The size of a secret, in bytes. RFC 4226, section 4 requires at least 128 bits and recommends 160. */
const SECRET_BYTES = 20
/**
 * The maximum difference between clocks, in 30-second steps. RFC 6238, section 5.2 recommends allowing at
 * most one step for network delay.
 */
const WINDOW_STEPS = 1
const RECOVERY_CODES = 10
/** The size of a recovery code, in bytes: 80 bits are too many to guess, even if the hashes leak. A code has 16 base32 characters. */
const RECOVERY_BYTES = 10
const RECOVERY_CODE = /^[A-Z2-7]{16}$/

type User = Pick<SessionUser, 'userId' | 'email' | 'sellerId' | 'sellerName'>
type CodeUser = Omit<User, 'sellerName'>

const toTotp = (secret: string, label = '') => new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) })

const hashRecoveryCode = (userId: string, recoveryCode: string) => createHash('sha256').update(`${userId} ${recoveryCode}`).digest('hex')

/** Normalizes a typed code: removes spaces and hyphens, and converts it to uppercase. */
const normalizeCode = (code: string) => code.replace(/[\s-]/g, '').toUpperCase()

/** Returns the time step of a code, or undefined if the code is wrong or not current. */
function findTimeStep(secret: string, code: string): number | undefined {
  const totp = toTotp(secret)
  const delta = /^\d{6}$/.test(code) ? totp.validate({ token: code, window: WINDOW_STEPS }) : null
  return delta === null ? undefined : totp.counter() + delta
}

export type NewSecret = {
  /** The encrypted secret. `enableTwoFactor` stores it if the code is correct. */
  sealed: string
  /** The secret in base32, in groups of four characters, to be typed into an app. */
  text: string
  /** The otpauth URI for the QR code. */
  uri: string
}

/** Generates a secret for a user. Does not store it. */
export async function createSecret({ userId, email, sellerName }: User): Promise<NewSecret> {
  const secret = new Secret({ size: SECRET_BYTES }).base32
  return {
    sealed: (await seal(secret, userId)).toString('base64url'),
    text: secret.replace(/.{4}(?=.)/g, '$& '),
    uri: toTotp(secret, `${sellerName} (${email})`).toString(),
  }
}

/**
 * Turns on two-factor authentication. Ends the user's other sessions, because they were started without a code.
 *
 * @param sessionId the ID of the current session, which stays valid
 * @param input the encrypted secret from `createSecret`, a current code, and the password, so that an unattended browser is not enough
 * @param device the browser, if it has been used to sign in before
 * @returns the recovery codes, which cannot be retrieved later
 * @throws {AccountError} `password_wrong`, `code_wrong`, `two_factor_enabled`
 * @throws {TooManyAttemptsError} after five wrong passwords
 */
export async function enableTwoFactor(
  { userId, email, sellerId }: User,
  sessionId: string,
  { sealed, code, password }: { sealed: string; code: string; password: string },
  device?: KnownDevice,
): Promise<string[]> {
  await verifyOwnPassword(userId, password, device)
  const secret = await tryUnseal(Buffer.from(sealed, 'base64url'), userId)
  const lastStep = secret === undefined ? undefined : findTimeStep(secret, normalizeCode(code))
  if (secret === undefined || lastStep === undefined) throw new AccountError('code_wrong')
  const codes = Array.from({ length: RECOVERY_CODES }, () => new Secret({ size: RECOVERY_BYTES }).base32)
  const row = { userId, secret: await seal(secret, userId), lastStep, recoveryHashes: codes.map((text) => hashRecoveryCode(userId, text)) }
  await database().transaction(async (connection) => {
    // Waits for sessions that are being created, so that they are ended too.
    await lockUser(connection, userId)
    const added = await connection.orm.insert(twoFactors).values(row).onConflictDoNothing().returning({ userId: twoFactors.userId })
    if (added.length === 0) throw new AccountError('two_factor_enabled')
    await endUserSessions(connection, userId, sessionId)
    await writeAudit(connection, { sellerId, by: { userId, email }, action: 'two_factor.enabled', subject: email })
  })
  return codes.map((text) => text.replace(/.{4}(?=.)/g, '$&-'))
}

/** Decrypts a user's secret. Returns undefined if it cannot be decrypted, in which case only recovery codes work. */
async function decryptSecret(userId: string, sealed: Buffer): Promise<string | undefined> {
  const secret = await tryUnseal(sealed, userId)
  if (secret === undefined) log().warn({ user: userId }, 'two-factor authentication must be reset: NEXTAUTH_SECRET has changed')
  return secret
}

/** Like `consumeCode`, but runs in the caller's transaction. */
async function consumeCodeIn(connection: Connection, { userId, email, sellerId }: CodeUser, code: string): Promise<boolean> {
  const { orm, rows } = connection
  const normalized = normalizeCode(code)
  if (RECOVERY_CODE.test(normalized)) {
    const hash = hashRecoveryCode(userId, normalized)
    const used = await rows(sql`
      update ${twoFactors} set recovery_hashes = array_remove(recovery_hashes, ${hash}::text)
      where ${twoFactors.userId} = ${userId} and ${hash} = any(recovery_hashes) returning 1`)
    if (used.length === 0) return false
    await writeAudit(connection, { sellerId, by: { userId, email }, action: 'two_factor.recovery_code_used', subject: email })
    return true
  }
  const [row] = await orm.select({ secret: twoFactors.secret }).from(twoFactors).where(eq(twoFactors.userId, userId))
  const secret = row && (await decryptSecret(userId, row.secret))
  const step = secret && findTimeStep(secret, normalized)
  if (!step) return false
  const used = await rows(sql`
    update ${twoFactors} set last_step = ${step} where ${twoFactors.userId} = ${userId} and ${twoFactors.lastStep} < ${step} returning 1`)
  return used.length > 0
}

/**
 * Verifies a code and marks it as used: stores the time step of a time-based code, or deletes the hash of a recovery code.
 *
 * @param code the code as typed by the user
 * @returns whether the code is valid and had not been used before
 */
export const consumeCode = (user: CodeUser, code: string): Promise<boolean> =>
  database().transaction((connection) => consumeCodeIn(connection, user, code))

/** Deletes a user's secret and recovery codes. Returns whether there were any. */
async function deleteTwoFactor({ orm }: Connection, userId: string): Promise<boolean> {
  const deleted = await orm.delete(twoFactors).where(eq(twoFactors.userId, userId)).returning({ userId: twoFactors.userId })
  return deleted.length > 0
}

/**
 * Turns off two-factor authentication.
 *
 * @param code a current code or a recovery code. Wrong codes count as failed sign-in attempts
 * @throws {AccountError} `two_factor_required`, `code_wrong`
 * @throws {TooManyAttemptsError} after five failed attempts
 */
export async function disableTwoFactor(
  user: CodeUser & Pick<SessionUser, 'requiresTwoFactor'>,
  code: string,
  device?: KnownDevice,
): Promise<void> {
  const { userId, email, sellerId } = user
  if (user.requiresTwoFactor) throw new AccountError('two_factor_required')
  const { subject } = userSubject(userId, await readCredentialsHash(userId), device)
  await countAttempt(subject)
  const isRequired = await database().transaction(async (connection) => {
    // Waits for `changeTwoFactorRequirement`, because the session's value may be outdated.
    const [seller] = await connection.orm
      .select({ isRequired: sellers.requiresTwoFactor })
      .from(sellers)
      .where(eq(sellers.id, sellerId))
      .for('share')
    if (seller?.isRequired) return true
    await lockUser(connection, userId)
    if (!(await consumeCodeIn(connection, user, code))) throw new AccountError('code_wrong')
    if (await deleteTwoFactor(connection, userId))
      await writeAudit(connection, { sellerId, by: { userId, email }, action: 'two_factor.disabled', subject: email })
    return false
  })
  if (isRequired) {
    // The code was not checked.
    await undoAttempts([subject])
    throw new AccountError('two_factor_required')
  }
  await forgetFailures(subject)
}

/**
 * Turns off a member's two-factor authentication, for example after a lost phone, and ends their sessions. Idempotent.
 *
 * @param by the owner who resets it; undefined for the operator
 * @throws {AccountError} `user_not_found`, `yourself`, `not_owner`
 */
export function resetTwoFactor(sellerId: string, user: UserRef, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const { userId, email } = findMember(await lockTeam(connection, sellerId, by), user)
    if (by?.userId === userId) throw new AccountError('yourself')
    // Waits for sessions that are being created, so that they are ended too.
    await lockUser(connection, userId)
    if (!(await deleteTwoFactor(connection, userId))) return
    await endUserSessions(connection, userId)
    await writeAudit(connection, { sellerId, by, action: 'two_factor.reset', subject: email })
  })
}

/** Returns the number of remaining recovery codes, or undefined if two-factor authentication is off. */
export async function countRecoveryCodes(userId: string): Promise<number | undefined> {
  const [row] = await database().query<{ count: number }>(
    sql`select cardinality(recovery_hashes) as count from ${twoFactors} where ${twoFactors.userId} = ${userId}`,
  )
  return row?.count
}
