/** Signs users in with their email address, password and, if it is turned on, second factor. Throttles attempts after repeated failures. */
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { database } from '@/db/client'
import { sellers, twoFactors, users } from '@/db/schema'
import { credentialsHash } from './credentials'
import { emailSchema, normalizeEmail } from './email'
import { verifyPassword } from './passwords'
import { createSession } from './sessions'
import {
  accountSubject,
  addressSubject,
  countAttempts,
  forgetFailures,
  type KnownDevice,
  readWait,
  undoAttempts,
  userSubject,
} from './sign-in-throttle'
import { consumeCode } from './two-factor'

/** The result of an attempt to sign in. */
export type SignIn =
  | { outcome: 'signed_in'; userId: string; sessionId: string; credentialsHash: string }
  /** The password is correct, but a code is required: call `signIn` again with a code. */
  | { outcome: 'code_required' }
  | { outcome: 'code_wrong' }
  /** The same outcome for an unknown user, a wrong password, a disabled user, and credentials that have just changed. */
  | { outcome: 'wrong' }
  | { outcome: 'too_many_attempts'; seconds: number }
  /** The email address and the password match users of multiple sellers: call `signIn` again with the ID of one of the sellers. */
  | { outcome: 'choose_shop'; shops: { sellerId: string; name: string }[] }

type User = {
  userId: string
  email: string
  passwordHash: string
  credentialsHash: string
  sellerId: string
  sellerName: string
  hasTwoFactor: boolean
}

/**
 * A guess at a user's password. `user` is undefined if the email address or the seller is unknown; such a guess takes as long to
 * evaluate as any other guess.
 */
type Guess = { subject: Buffer; isKnownDevice: boolean; user?: User }

/** Finds the active users with an email address, at most one per seller. @param email normalized by `normalizeEmail` */
async function findUsers(email: string): Promise<User[]> {
  // An invalid address belongs to no user, and PostgreSQL might reject its characters.
  if (!emailSchema.safeParse(email).success) return []
  const hasTwoFactor = sql<boolean>`${twoFactors.userId} is not null`
  const { id: userId, passwordHash } = users
  return database().use(({ orm }) =>
    orm
      .select({ userId, email: users.email, passwordHash, credentialsHash, sellerId: sellers.id, sellerName: sellers.name, hasTwoFactor })
      .from(users)
      .innerJoin(sellers, eq(sellers.id, users.sellerId))
      .leftJoin(twoFactors, eq(twoFactors.userId, users.id))
      .where(and(eq(users.email, email), isNull(users.disabledAt)))
      .orderBy(asc(sellers.name), asc(sellers.id)),
  )
}

/**
 * Counts guesses before they are evaluated. Guesses from unknown devices also count against the IP address. Those from known devices do
 * not, because a known device might share its IP address with an attacker.
 *
 * @returns the subjects that were counted
 */
async function countGuesses(guesses: Guess[], address: Buffer): Promise<Buffer[]> {
  const known = guesses.filter(({ isKnownDevice }) => isKnownDevice).map(({ subject }) => subject)
  const others = guesses.filter(({ isKnownDevice }) => !isKnownDevice).map(({ subject }) => subject)
  const counted = known.length > 0 ? await countAttempts(known) : []
  if (others.length === 0 || (await countAttempts([address])).length === 0) return counted
  const countedOthers = await countAttempts(others)
  if (countedOthers.length > 0) return [...counted, ...countedOthers, address]
  await undoAttempts([address])
  return counted
}

const HOUR_MS = 3_600_000
const MAX_TRIED = 10_000
/** The users at whom another user's correct password was tried in the last hour, with the hash of that user's credentials. */
const tried = new LRUCache<string, true>({ max: MAX_TRIED, ttl: HOUR_MS })

/**
 * Returns whether a user's correct password was already tried at another user in the last hour, and remembers that it was. A repeated
 * attempt is not another guess. A new password is one, because someone could use their own user at one shop to try guesses at another.
 */
function isRepeated(otherId: string, { credentialsHash }: User): boolean {
  const pair = `${otherId} ${credentialsHash}`
  if (tried.has(pair)) return true
  tried.set(pair, true)
  return false
}

type Options = {
  /** The browser, if it has been used to sign in before. */
  device?: KnownDevice | undefined
  /** The seller that the user has chosen; undefined for all sellers. */
  sellerId?: string | undefined
  /** A time-based code or a recovery code. */
  code?: string | undefined
}

/**
 * Signs a user in. An unknown user and a wrong password take the same time and return the same outcome.
 *
 * @param address the client's IP address, which multiple users might share
 */
export async function signIn(email: string, password: string, address: string, { device, sellerId, code }: Options = {}): Promise<SignIn> {
  const normalized = normalizeEmail(email)
  const found = await findUsers(normalized)
  const chosen = found.filter((user) => sellerId === undefined || user.sellerId === sellerId)
  const toGuess = (user: User) => ({ user, ...userSubject(user.userId, user.credentialsHash, device) })
  // If the chosen seller has no such user, the guess counts against all users with the address, so as not to reveal whether there are any.
  const guesses: Guess[] = chosen.length > 0 ? chosen.map(toGuess) : found.map((user) => ({ ...toGuess(user), user: undefined }))
  if (guesses.length === 0) guesses.push({ subject: accountSubject(normalized), isKnownDevice: false })
  const shared = addressSubject(address)
  const counted = await countGuesses(guesses, shared)
  const isCounted = (subject: Buffer) => counted.some((other) => other.equals(subject))
  const evaluated = await Promise.all(
    guesses
      .filter(({ subject }) => isCounted(subject))
      .map(async ({ user, subject }) => ({ user, subject, isMatch: await verifyPassword(user?.passwordHash, password) })),
  )
  const matches = evaluated.flatMap(({ user, subject, isMatch }) => (user && isMatch ? [{ ...user, subject }] : []))
  const [user, ...others] = matches
  if (!user) {
    const refused = guesses.filter(({ subject }) => !isCounted(subject))
    if (refused.length === 0) return { outcome: 'wrong' }
    const subjects = refused.flatMap(({ subject, isKnownDevice }) => (isKnownDevice ? [subject] : [subject, shared]))
    return { outcome: 'too_many_attempts', seconds: Math.max(1, await readWait(subjects)) }
  }
  const repeated = evaluated.filter(({ user: other, isMatch }) => other && !isMatch && isRepeated(other.userId, user))
  if (repeated.length > 0) await undoAttempts(repeated.map(({ subject }) => subject))
  if (others.length > 0) {
    await undoAttempts([shared, ...matches.map(({ subject }) => subject)].filter(isCounted))
    return { outcome: 'choose_shop', shops: matches.map(({ sellerId, sellerName }) => ({ sellerId, name: sellerName })) }
  }
  if (user.hasTwoFactor && code === undefined) {
    // Undoes only this attempt: if the correct password reset all counts, any number of guesses at the code would be possible.
    await undoAttempts([shared, user.subject].filter(isCounted))
    return { outcome: 'code_required' }
  }
  if (user.hasTwoFactor && !(await consumeCode(user, code ?? ''))) return { outcome: 'code_wrong' }
  const sessionId = await createSession(user.userId, user.credentialsHash)
  // The user was disabled, or their credentials changed, while they were being verified.
  if (sessionId === undefined) return { outcome: 'wrong' }
  // The failures of the IP address and of other users with this email remain: signing in as one user must not allow more guesses at
  // another.
  await forgetFailures(user.subject)
  if (isCounted(shared)) await undoAttempts([shared])
  return { outcome: 'signed_in', userId: user.userId, sessionId, credentialsHash: user.credentialsHash }
}
