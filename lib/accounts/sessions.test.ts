/** A session identifies its user and their shop until it is ended or expires. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { readCredentialsHash } from './credentials'
import { createSession, endSession, findSessionUser, readSessionToken, SESSION_DAYS } from './sessions'
import { addUser } from './users'

beforeAll(openTestDatabase)

async function makeUser() {
  const sellerId = await makeSeller()
  const email = `owner-${sellerId}@example.com`
  const userId = await addUser(sellerId, { email, password: 'correct horse battery', role: 'owner' })
  return { sellerId, email, userId, hash: String(await readCredentialsHash(userId)) }
}

const open = async (userId: string, hash: string) => String(await createSession(userId, hash))

it('returns the user of a session and their shop', async () => {
  const { sellerId, email, userId, hash } = await makeUser()
  expect(await findSessionUser(await open(userId, hash))).toEqual({
    userId,
    email,
    role: 'owner',
    sellerId,
    sellerName: 'Test',
    timeZone: expect.any(String),
    hasTwoFactor: false,
    requiresTwoFactor: false,
  })
  expect(await findSessionUser('unknown')).toBeUndefined()
})

it('ends one session and keeps the user’s other sessions', async () => {
  const { userId, hash } = await makeUser()
  const [ended, kept] = [await open(userId, hash), await open(userId, hash)]
  await endSession(ended)
  expect(await findSessionUser(ended)).toBeUndefined()
  expect(await findSessionUser(kept)).toBeDefined()
})

it('rejects a session whose lifetime has passed', async () => {
  const { userId, hash } = await makeUser()
  const session = await open(userId, hash)
  const [row] = await database().use(({ rows }) =>
    rows<{ days: number }>(sql`select extract(epoch from expires_at - now()) / 86400 as days from sessions where id = ${session}`),
  )
  expect(Number(row?.days)).toBeCloseTo(SESSION_DAYS, 1)
  await database().use(({ rows }) => rows(sql`update sessions set expires_at = now() where id = ${session}`))
  expect(await findSessionUser(session)).toBeUndefined()
})

it('neither creates nor finds a session for a disabled user', async () => {
  const { userId, hash } = await makeUser()
  const session = await open(userId, hash)
  // Disables the user without ending the sessions, unlike `disableMember`.
  await database().use(({ rows }) => rows(sql`update users set disabled_at = now() where id = ${userId}`))
  expect(await findSessionUser(session)).toBeUndefined()
  expect(await createSession(userId, hash)).toBeUndefined()
})

it.each([
  ['a=1; next-auth.session-token=http', 'http'],
  ['__Secure-next-auth.session-token=https;b=2', 'https'],
  ['next-auth.session-token=http; __Secure-next-auth.session-token=https', 'https'],
  ['x-next-auth.session-token=other; next-auth.session-token=', undefined],
  [null, undefined],
])('reads the token from %s, preferring the HTTPS cookie', (cookies, token) => {
  expect(readSessionToken(cookies)).toBe(token)
})
