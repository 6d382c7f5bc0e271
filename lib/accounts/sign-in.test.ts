/** Signing in is throttled by account and by client address. */
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { signIn } from './sign-in'
import { accountSubject, addressSubject, countFailure, forgetFailures, waitOf } from './sign-in-throttle'
import { addUser } from './users'

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'

async function makeUser(): Promise<string> {
  const seller = await makeSeller()
  const email = `user-${seller}@example.com`
  await addUser(seller, { email, password: PASSWORD, role: 'staff' })
  return email
}

/** Moves a subject's last failure into the past, or into the future by a negative number. */
const age = (subject: Buffer, seconds: number) =>
  database().use(({ rows }) =>
    rows(sql`update sign_in_failures set last_at = now() - make_interval(secs => ${seconds}) where subject = ${subject}`),
  )

async function fail(subject: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await countFailure([subject])
}

/** Asserts the delay right after a failure of `subject`, less the time that the assertion itself takes. */
async function expectWait(subject: Buffer, seconds: number): Promise<void> {
  const start = performance.now()
  await age(subject, 0)
  const wait = await waitOf([subject])
  expect(wait).toBeLessThanOrEqual(seconds)
  expect(wait).toBeGreaterThanOrEqual(seconds - Math.ceil((performance.now() - start) / 1000))
}

describe('the delay after wrong passwords', () => {
  it('starts at five failures, doubles with each further one, and has a maximum', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 4)
    expect(await waitOf([subject])).toBe(0)
    for (const seconds of [5, 10, 20, 40]) {
      await fail(subject, 1)
      await expectWait(subject, seconds)
    }
    await fail(subject, 20)
    await expectWait(subject, 15 * 60)
  })

  it('elapses with time and is the longest of several subjects', async () => {
    const [short, long] = [addressSubject(randomUUID()), addressSubject(randomUUID())]
    await fail(short, 5)
    await fail(long, 30)
    expect(await waitOf([short, long])).toBeGreaterThan(5)
    await age(long, 15 * 60 + 1)
    expect(await waitOf([long])).toBe(0)
    expect(await waitOf([short, long])).toBeLessThanOrEqual(5)
  })

  it('resets after an hour without a failure', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 30)
    await age(subject, 3601)
    expect(await waitOf([subject])).toBe(0)
    await fail(subject, 1)
    expect(await waitOf([subject])).toBe(0)
    await fail(subject, 4)
    await expectWait(subject, 5)
  })

  it('resets when failures are forgotten', async () => {
    const subject = addressSubject(randomUUID())
    await fail(subject, 9)
    await forgetFailures(subject)
    expect(await waitOf([subject])).toBe(0)
  })
})

describe('signing in', () => {
  it('ignores case and surrounding spaces of the email', async () => {
    const email = await makeUser()
    expect((await signIn(` ${email.toUpperCase()} `, PASSWORD, randomUUID())).outcome).toBe('signed_in')
  })

  it('returns the same outcome for an unknown user and a wrong password, and throttles both', async () => {
    const emails = [await makeUser(), `${randomUUID()}@example.com`]
    for (const email of emails) {
      for (let count = 0; count < 5; count += 1) expect((await signIn(email, 'wrong', randomUUID())).outcome).toBe('wrong')
      await age(accountSubject(email), -60)
      expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('too_many_attempts')
    }
  })

  it('throttles an address across accounts, also after it signed in to one', async () => {
    const address = randomUUID()
    const email = await makeUser()
    for (let count = 0; count < 4; count += 1) await signIn(`${randomUUID()}@example.com`, 'wrong', address)
    expect((await signIn(email, PASSWORD, address)).outcome).toBe('signed_in')
    await signIn(`${randomUUID()}@example.com`, 'wrong', address)
    await age(addressSubject(address), -60)
    expect((await signIn(email, PASSWORD, address)).outcome).toBe('too_many_attempts')
    expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('signed_in')
  })

  it('forgets an account’s failures after a correct password', async () => {
    const email = await makeUser()
    for (let count = 0; count < 4; count += 1) await signIn(email, 'wrong', randomUUID())
    expect((await signIn(email, PASSWORD, randomUUID())).outcome).toBe('signed_in')
    await signIn(email, 'wrong', randomUUID())
    expect(await waitOf([accountSubject(email)])).toBe(0)
  })
})
