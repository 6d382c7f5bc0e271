/** Two-factor authentication: codes work once, wrong codes count as failed sign-in attempts, and a shop can require it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { listAudit } from '../listing/list-audit'
import { TooManyAttemptsError } from './account-error'
import { verifyOwnPassword } from './change-password'
import { readCredentialsHash } from './credentials'
import { createSession, findSessionUser } from './sessions'
import { signIn } from './sign-in'
import { userSubject } from './sign-in-throttle'
import { changeTwoFactorRequirement, listTeam } from './team'
import { consumeCode, countRecoveryCodes, createSecret, disableTwoFactor, enableTwoFactor, resetTwoFactor } from './two-factor'
import { addUser } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'

async function makeUser(role: 'owner' | 'staff' = 'staff', seller?: string) {
  const sellerId = seller ?? (await makeSeller())
  const email = `user-${randomUUID()}@example.com`
  const userId = await addUser(sellerId, { email, password: PASSWORD, role })
  return { userId, email, sellerId, sellerName: 'Test', requiresTwoFactor: false }
}

/** Returns the code for the time step that is `steps` steps from now. @param text the secret as displayed */
const makeCode = (text: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(text.replaceAll(' ', '')) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** Creates a user with two-factor authentication who has not used the current code yet. */
async function makeProtectedUser() {
  const user = await makeUser()
  const { sealed, text } = await createSecret(user)
  const recoveryCodes = await enableTwoFactor(user, '', { sealed, code: makeCode(text), password: PASSWORD })
  await database().use(({ rows }) => rows(sql`update two_factors set last_step = 0 where user_id = ${user.userId}`))
  return { user, text, recoveryCodes }
}

const tryToSignIn = ({ email }: { email: string }, code?: string, password = PASSWORD) => signIn(email, password, randomUUID(), { code })
const getActions = async (sellerId: string) => (await listAudit(sellerId)).rows.map(({ action }) => action)

/** Returns a code that is guaranteed to be wrong. */
const makeWrongCode = (text: string) => {
  const valid = [-2, -1, 0, 1, 2].map((steps) => makeCode(text, steps))
  return String(['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !valid.includes(code)))
}

describe('turning on two-factor authentication', () => {
  it('requires a current code for the user’s own secret, and stores neither the secret nor the recovery codes in plain text', async () => {
    const [user, other] = [await makeUser(), await makeUser()]
    const { sealed, text, uri } = await createSecret(user)
    expect(uri).toMatch(/^otpauth:\/\/totp\/Checkout%20Desk:Test%20\(user-.*issuer=Checkout%20Desk&secret=[A-Z2-7]{32}&/)
    await expect(enableTwoFactor(user, '', { sealed, code: makeWrongCode(text), password: PASSWORD })).rejects.toMatchObject({
      code: 'code_wrong',
    })
    await expect(enableTwoFactor(other, '', { sealed, code: makeCode(text), password: PASSWORD })).rejects.toMatchObject({
      code: 'code_wrong',
    })
    await expect(enableTwoFactor(user, '', { sealed: 'AAAA', code: makeCode(text), password: PASSWORD })).rejects.toMatchObject({
      code: 'code_wrong',
    })
    expect(await countRecoveryCodes(user.userId)).toBeUndefined()
    const codes = await enableTwoFactor(user, '', { sealed, code: ` ${makeCode(text).replace(/^.../, '$& ')}`, password: PASSWORD })
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    expect(await countRecoveryCodes(user.userId)).toBe(10)
    await expect(enableTwoFactor(user, '', { sealed, code: makeCode(text), password: PASSWORD })).rejects.toMatchObject({
      code: 'two_factor_enabled',
    })
    const [stored] = await database().use(({ rows }) =>
      rows<{ text: string; secret: Buffer }>(
        sql`select to_json(t)::text as text, secret from two_factors t where user_id = ${user.userId}`,
      ),
    )
    const secret = text.replaceAll(' ', '')
    for (const plain of [secret, ...codes.flatMap((code) => [code, code.replaceAll('-', '')])]) expect(stored?.text).not.toContain(plain)
    expect(stored?.secret.includes(secret)).toBe(false)
    expect(await getActions(user.sellerId)).toEqual(['two_factor.enabled', 'user.added'])
  })
})

describe('the password for turning on two-factor authentication', () => {
  it('must be correct, and counts as a failed sign-in attempt if it is wrong', async () => {
    const user = await makeUser()
    const { sealed, text } = await createSecret(user)
    const enable = (password: string) => enableTwoFactor(user, '', { sealed, code: makeCode(text), password })
    for (let count = 0; count < 5; count += 1) await expect(enable('wrong')).rejects.toMatchObject({ code: 'password_wrong' })
    await expect(enable(PASSWORD)).rejects.toThrow(TooManyAttemptsError)
    expect(await countRecoveryCodes(user.userId)).toBeUndefined()
  })
})

describe('sessions from before two-factor authentication', () => {
  const open = async (userId: string) => String(await createSession(userId, String(await readCredentialsHash(userId))))

  it('end when it is turned on, except the current one, and when the operator resets it', async () => {
    const user = await makeUser()
    const [current, other] = [await open(user.userId), await open(user.userId)]
    const { sealed, text } = await createSecret(user)
    await enableTwoFactor(user, current, { sealed, code: makeCode(text), password: PASSWORD })
    expect(await findSessionUser(current)).toBeDefined()
    expect(await findSessionUser(other)).toBeUndefined()
    await resetTwoFactor(user.sellerId, user)
    expect(await findSessionUser(current)).toBeUndefined()
  })

  it('cannot be created by a sign-in that verified the old credentials', async () => {
    const user = await makeUser()
    const before = String(await readCredentialsHash(user.userId))
    const { sealed, text } = await createSecret(user)
    await enableTwoFactor(user, '', { sealed, code: makeCode(text), password: PASSWORD })
    expect(await createSession(user.userId, before)).toBeUndefined()
    expect(await createSession(user.userId, String(await readCredentialsHash(user.userId)))).toBeDefined()
  })

  it('end even if they are being created while two-factor authentication is turned on or reset', async () => {
    const user = await makeUser()
    const { sealed, text } = await createSecret(user)
    for (const change of [
      () => enableTwoFactor(user, '', { sealed, code: makeCode(text), password: PASSWORD }),
      () => resetTwoFactor(user.sellerId, user),
    ]) {
      const session = randomUUID()
      let changing: Promise<unknown> | undefined
      await database().transaction(async (connection) => {
        const { rows } = connection
        // Locks the user and inserts a session, as `createSession` does.
        await rows(sql`select 1 from users where id = ${user.userId} for share`)
        await rows(sql`insert into sessions (id, user_id, expires_at) values (${session}, ${user.userId}, now() + interval '1 day')`)
        changing = change()
        await untilBlocking(connection)
      })
      await changing
      expect(await findSessionUser(session)).toBeUndefined()
    }
  })
})

describe('signing in with two-factor authentication', () => {
  it('requires a code after the correct password, and accepts each code once', async () => {
    const { user, text } = await makeProtectedUser()
    expect(await tryToSignIn(user)).toEqual({ outcome: 'code_required' })
    expect(await tryToSignIn(user, undefined, 'wrong')).toEqual({ outcome: 'wrong' })
    expect(await tryToSignIn(user, makeCode(text), 'wrong')).toEqual({ outcome: 'wrong' })
    for (const code of [makeWrongCode(text), '', '\0', '12345', makeCode(text, 4), makeCode(text, -4)]) {
      await database().use(({ rows }) => rows(sql`delete from sign_in_failures where subject = ${userSubject(user.userId).subject}`))
      expect(await tryToSignIn(user, code)).toEqual({ outcome: 'code_wrong' })
    }
    await database().use(({ rows }) => rows(sql`delete from sign_in_failures where subject = ${userSubject(user.userId).subject}`))
    const code = makeCode(text)
    expect((await tryToSignIn(user, code)).outcome).toBe('signed_in')
    expect(await tryToSignIn(user, code)).toEqual({ outcome: 'code_wrong' })
    expect((await tryToSignIn(user, makeCode(text, 1))).outcome).toBe('signed_in')
  })

  it('accepts a code only once, even in concurrent calls', async () => {
    const { user, text, recoveryCodes } = await makeProtectedUser()
    for (const code of [makeCode(text), String(recoveryCodes[0])]) {
      const accepted = await Promise.all(Array.from({ length: 8 }, () => consumeCode(user, code)))
      expect(accepted.filter(Boolean)).toHaveLength(1)
    }
  })

  it('accepts each recovery code once, even if the secret cannot be decrypted', async () => {
    const { user, text, recoveryCodes } = await makeProtectedUser()
    const other = await makeProtectedUser()
    const [first, second] = recoveryCodes.map(String)
    expect((await tryToSignIn(user, first?.toLowerCase().replaceAll('-', ' '))).outcome).toBe('signed_in')
    expect((await tryToSignIn(user, first)).outcome).toBe('code_wrong')
    expect((await tryToSignIn(other.user, second)).outcome).toBe('code_wrong')
    await database().use(({ rows }) => rows(sql`update two_factors set secret = ${randomBytes(60)} where user_id = ${user.userId}`))
    expect((await tryToSignIn(user, makeCode(text))).outcome).toBe('code_wrong')
    expect((await tryToSignIn(user, second)).outcome).toBe('signed_in')
    expect(await countRecoveryCodes(user.userId)).toBe(8)
    expect((await getActions(user.sellerId)).slice(0, 2)).toEqual(['two_factor.recovery_code_used', 'two_factor.recovery_code_used'])
  })

  it('counts wrong codes like wrong passwords, and does not reset the count after a correct password alone', async () => {
    const { user, text } = await makeProtectedUser()
    for (let count = 0; count < 5; count += 1) {
      expect(await tryToSignIn(user, makeWrongCode(text))).toEqual({ outcome: 'code_wrong' })
      if (count < 4) expect(await tryToSignIn(user)).toEqual({ outcome: 'code_required' })
    }
    const { subject } = userSubject(user.userId)
    await database().use(({ rows }) =>
      rows(sql`update sign_in_failures set last_at = now() + interval '1 minute' where subject = ${subject}`),
    )
    expect((await tryToSignIn(user, makeCode(text))).outcome).toBe('too_many_attempts')
  })
})

describe('turning off two-factor authentication', () => {
  it('requires a code, counts wrong codes as failed sign-in attempts, and is rejected if the shop requires it to be on', async () => {
    const { user, text, recoveryCodes } = await makeProtectedUser()
    await expect(disableTwoFactor({ ...user, requiresTwoFactor: true }, makeCode(text))).rejects.toMatchObject({
      code: 'two_factor_required',
    })
    await expect(disableTwoFactor(user, makeWrongCode(text))).rejects.toMatchObject({ code: 'code_wrong' })
    await disableTwoFactor(user, String(recoveryCodes[0]))
    expect((await tryToSignIn(user)).outcome).toBe('signed_in')
    expect((await getActions(user.sellerId)).slice(0, 2)).toEqual(['two_factor.disabled', 'two_factor.recovery_code_used'])
    const guessed = await makeProtectedUser()
    for (let count = 0; count < 5; count += 1) await disableTwoFactor(guessed.user, makeWrongCode(guessed.text)).catch(() => undefined)
    await expect(disableTwoFactor(guessed.user, makeCode(guessed.text))).rejects.toThrow(TooManyAttemptsError)
    expect(await countRecoveryCodes(guessed.user.userId)).toBe(10)
  })

  it('is rejected, and uses up neither a code nor an attempt, if the shop has started to require it since the session was read', async () => {
    const { user, recoveryCodes } = await makeProtectedUser()
    await database().use(({ rows }) => rows(sql`update sellers set requires_two_factor = true where id = ${user.sellerId}`))
    for (let count = 0; count < 6; count += 1)
      await expect(disableTwoFactor(user, String(recoveryCodes[0]))).rejects.toMatchObject({ code: 'two_factor_required' })
    expect(await countRecoveryCodes(user.userId)).toBe(10)
  })

  it('stays throttled by earlier wrong codes even if the correct password is entered elsewhere', async () => {
    const { user, text } = await makeProtectedUser()
    for (let count = 0; count < 4; count += 1) await disableTwoFactor(user, makeWrongCode(text)).catch(() => undefined)
    await verifyOwnPassword(user.userId, PASSWORD)
    await expect(disableTwoFactor(user, makeWrongCode(text))).rejects.toMatchObject({ code: 'code_wrong' })
    await expect(disableTwoFactor(user, makeCode(text))).rejects.toThrow(TooManyAttemptsError)
  })

  it('is possible for the operator, but only for users of the specified seller', async () => {
    const { user } = await makeProtectedUser()
    const email = user.email.toUpperCase()
    await expect(resetTwoFactor(await makeSeller(), { email })).rejects.toMatchObject({ code: 'user_not_found' })
    expect(await countRecoveryCodes(user.userId)).toBe(10)
    for (let count = 0; count < 2; count += 1) await resetTwoFactor(user.sellerId, { email })
    expect((await tryToSignIn(user)).outcome).toBe('signed_in')
    expect(await getActions(user.sellerId)).toEqual(['two_factor.reset', 'two_factor.enabled', 'user.added'])
  })

  it('is possible for other owners of the shop, ends the member’s sessions, and is audited', async () => {
    const { user, text } = await makeProtectedUser()
    const owner = await makeUser('owner', user.sellerId)
    const result = await tryToSignIn(user, makeCode(text))
    const sessionId = result.outcome === 'signed_in' ? result.sessionId : ''
    expect(await findSessionUser(sessionId)).toBeDefined()
    const which = { userId: user.userId }
    const staff = await makeUser('staff', user.sellerId)
    for (const by of [staff, user, await makeUser('owner')])
      await expect(resetTwoFactor(user.sellerId, which, by)).rejects.toMatchObject({ code: 'not_owner' })
    await expect(resetTwoFactor(user.sellerId, owner, owner)).rejects.toMatchObject({ code: 'yourself' })
    expect(await countRecoveryCodes(user.userId)).toBe(10)
    await resetTwoFactor(user.sellerId, which, owner)
    expect(await findSessionUser(sessionId)).toBeUndefined()
    expect((await tryToSignIn(user)).outcome).toBe('signed_in')
    const [entry] = (await listAudit(user.sellerId)).rows
    expect(entry).toMatchObject({ action: 'two_factor.reset', subject: user.email, email: owner.email })
  })
})

describe('requiring two-factor authentication', () => {
  it('is possible only for owners of the shop who use it themselves, applies to existing sessions, and is audited', async () => {
    const owner = await makeUser('owner')
    const staff = await makeUser('staff', owner.sellerId)
    const result = await tryToSignIn(staff)
    const sessionId = result.outcome === 'signed_in' ? result.sessionId : ''
    const isRequired = async () => (await findSessionUser(sessionId))?.requiresTwoFactor
    await expect(changeTwoFactorRequirement(owner.sellerId, true, staff)).rejects.toMatchObject({ code: 'not_owner' })
    await expect(changeTwoFactorRequirement(owner.sellerId, true, await makeUser('owner'))).rejects.toMatchObject({ code: 'not_owner' })
    await expect(changeTwoFactorRequirement(owner.sellerId, true, owner)).rejects.toMatchObject({ code: 'two_factor_missing' })
    expect(await isRequired()).toBe(false)
    const own = await createSecret(owner)
    await enableTwoFactor(owner, '', { sealed: own.sealed, code: makeCode(own.text), password: PASSWORD })
    for (let count = 0; count < 2; count += 1) await changeTwoFactorRequirement(owner.sellerId, true, owner)
    expect(await findSessionUser(sessionId)).toMatchObject({ requiresTwoFactor: true, hasTwoFactor: false })
    const { sealed, text } = await createSecret(staff)
    await enableTwoFactor(staff, sessionId, { sealed, code: makeCode(text), password: PASSWORD })
    expect(await findSessionUser(sessionId)).toMatchObject({ requiresTwoFactor: true, hasTwoFactor: true })
    expect((await listTeam(owner.sellerId)).map(({ hasTwoFactor }) => hasTwoFactor)).toEqual([true, true])
    await changeTwoFactorRequirement(owner.sellerId, false, owner)
    expect(await isRequired()).toBe(false)
    expect((await getActions(owner.sellerId)).slice(0, 3)).toEqual(['two_factor.not_required', 'two_factor.enabled', 'two_factor.required'])
  })
})
