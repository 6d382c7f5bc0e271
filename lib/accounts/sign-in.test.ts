/** Sign-in attempts are throttled per user and per IP address, and users choose a shop if several match. */
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { reportedLoads } from '@/db/semaphore'
import { withLongTimeouts } from '@/testing/long-timeouts'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { readCredentialsHash } from './credentials'
import { signIn } from './sign-in'
import {
  accountSubject,
  addressSubject,
  countAttempts,
  forgetFailures,
  purgeSignInFailures,
  readWait,
  undoAttempts,
  userSubject,
} from './sign-in-throttle'
import { disableMember } from './team'
import { createSecret, enableTwoFactor } from './two-factor'
import { addUser, setPassword } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'

async function makeUser({ email = `user-${randomUUID()}@example.com`, password = PASSWORD } = {}) {
  const sellerId = await makeSeller()
  const userId = await addUser(sellerId, { email, password, role: 'staff' })
  return { sellerId, userId, email, subject: userSubject(userId).subject }
}

/** Sets the time of a subject's last failure to `seconds` ago. A negative number sets a time in the future. */
const setFailureAge = (subject: Buffer, seconds: number) =>
  database().use(({ rows }) =>
    rows(sql`update sign_in_failures set last_at = now() - make_interval(secs => ${seconds}) where subject = ${subject}`),
  )

const LONGEST_WAIT = 15 * 60

/** Records `times` failures, each after the previous delay has elapsed. */
async function fail(subject: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await setFailureAge(subject, LONGEST_WAIT + 1)
    expect(await countAttempts([subject])).toEqual([subject])
  }
}

/** Asserts that the delay right after a failure is `seconds`, less the time that the assertion itself takes. */
async function expectWait(subject: Buffer, seconds: number): Promise<void> {
  const start = performance.now()
  await setFailureAge(subject, 0)
  const wait = await readWait([subject])
  expect(wait).toBeLessThanOrEqual(seconds)
  expect(wait).toBeGreaterThanOrEqual(seconds - Math.ceil((performance.now() - start) / 1000))
}

describe('the delay after wrong passwords', () => {
  it('starts at five failures, doubles with each additional failure, and has a maximum', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 4)
    expect(await readWait([subject])).toBe(0)
    for (const seconds of [5, 10, 20, 40]) {
      await fail(subject, 1)
      await expectWait(subject, seconds)
    }
    await fail(subject, 20)
    await expectWait(subject, LONGEST_WAIT)
  })

  it('elapses over time, and is the longest delay if there are several subjects', async () => {
    const [short, long] = [addressSubject(randomUUID()), addressSubject(randomUUID())]
    await fail(short, 5)
    await fail(long, 30)
    expect(await readWait([short, long])).toBeGreaterThan(5)
    await setFailureAge(long, LONGEST_WAIT + 1)
    expect(await readWait([long])).toBe(0)
    expect(await readWait([short, long])).toBeLessThanOrEqual(5)
  })

  it('resets after an hour without a failure', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 30)
    await setFailureAge(subject, 3601)
    expect(await readWait([subject])).toBe(0)
    await countAttempts([subject])
    expect(await readWait([subject])).toBe(0)
    await fail(subject, 4)
    await expectWait(subject, 5)
  })

  it('resets when failures are forgotten', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 9)
    await forgetFailures(subject)
    expect(await readWait([subject])).toBe(0)
  })
})

describe('a count of attempts', () => {
  it('increases only if there is no delay, and leaves no delay after it is undone', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 6)
    const countRefused = () => Number(reportedLoads().get('sign_ins')?.refused)
    const before = countRefused()
    expect(await countAttempts([subject])).toEqual([])
    expect(countRefused()).toBe(before + 1)
    await setFailureAge(subject, 11)
    expect(await countAttempts([subject])).toEqual([subject])
    await undoAttempts([subject])
    expect(await readWait([subject])).toBe(0)
    expect(await countAttempts([subject])).toEqual([subject])
    await expectWait(subject, 20)
  })

  it('is deleted after an hour without a failure', async () => {
    const [old, recent] = [addressSubject(randomUUID()), addressSubject(randomUUID())]
    await countAttempts([old, recent])
    await setFailureAge(old, 3601)
    await setFailureAge(recent, 3500)
    await purgeSignInFailures()
    const left = await database().use(({ rows }) =>
      rows<{ subject: Buffer }>(sql`select subject from sign_in_failures where subject in (${old}, ${recent})`),
    )
    expect(left).toEqual([{ subject: recent }])
  })
})

describe('signing in', () => {
  it('ignores letter case and surrounding spaces in the email address', async () => {
    const { email } = await makeUser()
    expect((await signIn(` ${email.toUpperCase()} `, PASSWORD, randomUUID())).outcome).toBe('signed_in')
  })

  it('returns the same outcome for an unknown user and a wrong password, and throttles both', async () => {
    const { email, subject } = await makeUser()
    const unknown = `${randomUUID()}@example.com`
    for (const [who, counted] of [
      [email, subject],
      [unknown, accountSubject(unknown)],
    ] as const) {
      for (let count = 0; count < 5; count += 1) expect((await signIn(who, 'wrong', randomUUID())).outcome).toBe('wrong')
      await setFailureAge(counted, -60)
      expect((await signIn(who, PASSWORD, randomUUID())).outcome).toBe('too_many_attempts')
    }
  })

  it('throttles an IP address across accounts, even after a successful sign-in to one of them', async () => {
    const address = randomUUID()
    const { email } = await makeUser()
    for (let count = 0; count < 4; count += 1) await signIn(`${randomUUID()}@example.com`, 'wrong', address)
    expect((await signIn(email, PASSWORD, address)).outcome).toBe('signed_in')
    await signIn(`${randomUUID()}@example.com`, 'wrong', address)
    await setFailureAge(addressSubject(address), -60)
    expect((await signIn(email, PASSWORD, address)).outcome).toBe('too_many_attempts')
    expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('signed_in')
  })

  it('forgets a user’s failures after a correct password', async () => {
    const { email, subject } = await makeUser()
    for (let count = 0; count < 4; count += 1) await signIn(email, 'wrong', randomUUID())
    expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('signed_in')
    await signIn(email, 'wrong', randomUUID())
    expect(await readWait([subject])).toBe(0)
  })

  it('evaluates five of 50 parallel wrong passwords, and does not evaluate the correct one after them', async () => {
    const { email, subject } = await makeUser()
    const outcomes = await withLongTimeouts(() =>
      Promise.all(Array.from({ length: 50 }, (_, i) => signIn(email, `wrong ${i}`, randomUUID()))),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(5)
    expect(outcomes.filter(({ outcome }) => outcome === 'too_many_attempts')).toHaveLength(45)
    await setFailureAge(subject, -60)
    expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('too_many_attempts')
  })

  it('evaluates five of 50 parallel attempts to sign in to different accounts from one IP address', async () => {
    const address = randomUUID()
    const outcomes = await withLongTimeouts(() =>
      Promise.all(Array.from({ length: 50 }, () => signIn(`${randomUUID()}@example.com`, 'wrong', address))),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(5)
  })

  it('does not allow more guesses with look-alike spellings of an email address', async () => {
    const { email, subject } = await makeUser({ email: `ik-${randomUUID()}@example.com` })
    // The dotted capital I is a different letter; the Kelvin sign is normalized to K.
    const [dotted, kelvin] = [email.replace('i', 'İ'), email.replace('k', '\u212a')]
    expect((await signIn(dotted, PASSWORD, randomUUID())).outcome).toBe('wrong')
    expect((await signIn(kelvin, PASSWORD, randomUUID())).outcome).toBe('signed_in')
    for (const who of [email, kelvin, dotted, email, kelvin, dotted, email]) await signIn(who, 'wrong', randomUUID())
    await setFailureAge(subject, -60)
    expect((await signIn(dotted, PASSWORD, randomUUID())).outcome).toBe('wrong')
    for (const who of [email, kelvin]) expect((await signIn(who, PASSWORD, randomUUID())).outcome).toBe('too_many_attempts')
  })

  it('treats text that PostgreSQL rejects as a wrong email or password', async () => {
    const { email } = await makeUser()
    for (const [who, password] of [
      [`\0${email}`, PASSWORD],
      [`${email}\0`, PASSWORD],
      ['\0', '\0'],
      [email, `${PASSWORD}\0`],
      [`\ud800${email}`, '\udfff'],
      ['', ''],
      ['x'.repeat(100_000), PASSWORD],
    ] as const) {
      expect(await signIn(who, password, randomUUID())).toEqual({ outcome: 'wrong' })
    }
  })
})

describe('a device that has signed in before', () => {
  const makeDevice = async (userId: string) => ({ users: [{ id: userId, credentialsHash: String(await readCredentialsHash(userId)) }] })

  const burst = async (email: string, address = randomUUID()) => {
    for (let count = 0; count < 5; count += 1) await signIn(email, 'wrong', address)
  }

  it('is not locked out by attempts on other devices, even from the same IP address', async () => {
    const { email, userId, subject } = await makeUser()
    const device = await makeDevice(userId)
    const address = randomUUID()
    await burst(email, address)
    await Promise.all([setFailureAge(subject, -60), setFailureAge(addressSubject(address), -60)])
    expect((await signIn(email, PASSWORD, address)).outcome).toBe('too_many_attempts')
    expect((await signIn(email, PASSWORD, address, { device })).outcome).toBe('signed_in')
    // The successful sign-in does not allow more attempts on other devices.
    expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('too_many_attempts')
  })

  it('has a separate limit, but only for users who have signed in on it', async () => {
    const [owner, other] = [await makeUser(), await makeUser()]
    const device = await makeDevice(owner.userId)
    for (let count = 0; count < 5; count += 1) {
      expect((await signIn(owner.email, 'wrong', randomUUID(), { device })).outcome).toBe('wrong')
    }
    await setFailureAge(userSubject(owner.userId, await readCredentialsHash(owner.userId), device).subject, -60)
    expect((await signIn(owner.email, PASSWORD, randomUUID(), { device })).outcome).toBe('too_many_attempts')
    expect((await signIn(owner.email, PASSWORD, randomUUID())).outcome).toBe('signed_in')
    await burst(other.email)
    await setFailureAge(other.subject, -60)
    expect((await signIn(other.email, PASSWORD, randomUUID(), { device })).outcome).toBe('too_many_attempts')
  })

  it('shares its limit with the user’s other known devices', async () => {
    const { email, userId } = await makeUser()
    for (let count = 0; count < 5; count += 1) {
      const result = await signIn(email, PASSWORD, randomUUID())
      if (result.outcome !== 'signed_in') throw new Error(result.outcome)
      const device = {
        users: [
          { id: userId, credentialsHash: result.credentialsHash },
          { id: `other-${count}`, credentialsHash: '' },
        ],
      }
      expect((await signIn(email, 'wrong', randomUUID(), { device })).outcome).toBe('wrong')
    }
    const device = await makeDevice(userId)
    await setFailureAge(userSubject(userId, device.users[0]?.credentialsHash, device).subject, -60)
    expect((await signIn(email, PASSWORD, randomUUID(), { device })).outcome).toBe('too_many_attempts')
  })

  it('is no longer known after the password or two-factor authentication has changed', async () => {
    const { email, userId, sellerId } = await makeUser()
    const isKnown = async (device: Awaited<ReturnType<typeof makeDevice>>) =>
      userSubject(userId, await readCredentialsHash(userId), device).isKnownDevice
    const first = await makeDevice(userId)
    await setPassword(sellerId, email, 'another password')
    const second = await makeDevice(userId)
    expect([await isKnown(first), await isKnown(second)]).toEqual([false, true])
    const { sealed, text } = await createSecret({ userId, email, sellerId, sellerName: '' })
    const code = new TOTP({ secret: Secret.fromBase32(text.replaceAll(' ', '')) }).generate()
    await enableTwoFactor({ userId, email, sellerId, sellerName: '' }, '', { sealed, code, password: 'another password' })
    expect([await isKnown(second), await isKnown(await makeDevice(userId))]).toEqual([false, true])
  })
})

describe('signing in with an email address that several shops use', () => {
  it('does not reveal whether the chosen shop has a user with it', async () => {
    const { email, subject } = await makeUser()
    const unknown = `${randomUUID()}@example.com`
    for (const [who, counted] of [
      [email, subject],
      [unknown, accountSubject(unknown)],
    ] as const) {
      await fail(counted, 5)
      await setFailureAge(counted, -60)
      expect((await signIn(who, PASSWORD, randomUUID(), { sellerId: 'f'.repeat(24) })).outcome).toBe('too_many_attempts')
    }
    for (const sellerId of ['\0', '\ud800']) expect((await signIn(email, PASSWORD, randomUUID(), { sellerId })).outcome).toMatch('too_many')
  })

  it('opens the shop that the password belongs to', async () => {
    const first = await makeUser()
    const second = await makeUser({ email: first.email.toUpperCase(), password: 'another password' })
    expect(await signIn(first.email, PASSWORD, randomUUID())).toMatchObject({ outcome: 'signed_in', userId: first.userId })
    expect(await signIn(first.email, 'another password', randomUUID())).toMatchObject({ outcome: 'signed_in', userId: second.userId })
    expect((await signIn(first.email, 'wrong', randomUUID())).outcome).toBe('wrong')
  })

  it('asks for the shop if the password matches at several shops', async () => {
    const first = await makeUser()
    const second = await makeUser({ email: first.email })
    const third = await makeUser({ email: first.email })
    await disableMember(third.sellerId, third)
    const shops = [first, second].map(({ sellerId }) => ({ sellerId, name: 'Test' }))
    const address = randomUUID()
    // More attempts than the number of wrong passwords that would be evaluated.
    for (let count = 0; count < 6; count += 1) {
      const result = await signIn(first.email, PASSWORD, address)
      expect(result).toEqual({ outcome: 'choose_shop', shops: expect.arrayContaining(shops) })
    }
    const chosen = await signIn(first.email, PASSWORD, randomUUID(), { sellerId: second.sellerId })
    expect(chosen).toMatchObject({ outcome: 'signed_in', userId: second.userId })
    for (const sellerId of [third.sellerId, randomUUID()]) {
      expect((await signIn(first.email, PASSWORD, randomUUID(), { sellerId })).outcome).toBe('wrong')
    }
  })

  it('has a separate limit for each shop, so that signing in to one does not allow more guesses at another', async () => {
    const mine = await makeUser({ password: 'my own password' })
    const theirs = await makeUser({ email: mine.email })
    for (let count = 0; count < 5; count += 1) {
      await signIn(mine.email, 'a guess', randomUUID(), { sellerId: theirs.sellerId })
      expect((await signIn(mine.email, 'my own password', randomUUID(), { sellerId: mine.sellerId })).outcome).toBe('signed_in')
    }
    await setFailureAge(theirs.subject, -60)
    expect((await signIn(mine.email, PASSWORD, randomUUID(), { sellerId: theirs.sellerId })).outcome).toBe('too_many_attempts')
    expect((await signIn(mine.email, PASSWORD, randomUUID())).outcome).toBe('too_many_attempts')
    expect((await signIn(mine.email, 'my own password', randomUUID())).outcome).toBe('signed_in')
  })

  it('counts a password that is correct at one shop only once as a failure at the others', async () => {
    const mine = await makeUser({ password: 'my own password' })
    await makeUser({ email: mine.email })
    for (let count = 0; count < 8; count += 1) expect((await signIn(mine.email, 'my own password', randomUUID())).outcome).toBe('signed_in')
    expect((await signIn(mine.email, 'a guess', randomUUID())).outcome).toBe('wrong')
    expect((await signIn(mine.email, PASSWORD, randomUUID())).outcome).toBe('signed_in')
  })

  it('counts each new password of a user as a guess at the other shops', async () => {
    const mine = await makeUser()
    const theirs = await makeUser({ email: mine.email, password: 'their password' })
    for (let count = 0; count < 5; count += 1) {
      await setPassword(mine.sellerId, mine.email, `my password ${count}`)
      expect((await signIn(mine.email, `my password ${count}`, randomUUID())).outcome).toBe('signed_in')
    }
    await setFailureAge(theirs.subject, -60)
    expect((await signIn(mine.email, 'their password', randomUUID())).outcome).toBe('too_many_attempts')
  })
})
