/** Tests that signing in reveals only its outcome, and that next-auth's routes do not renew the cookie of a session that has ended. */
import { randomUUID } from 'node:crypto'
import type { NextApiRequest, NextApiResponse } from 'next'
import NextAuth from 'next-auth'
import { encode } from 'next-auth/jwt'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import { createSession, endSession } from '@/lib/accounts/sessions'
import { addUser } from '@/lib/accounts/users'
import { log } from '@/lib/core/log'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { authorize, routeOptions } from './auth'

const jar = vi.hoisted(() => ({ get: vi.fn(), set: vi.fn() }))
vi.mock('next/headers', () => ({ cookies: async () => jar }))

beforeAll(openTestDatabase)
beforeEach(() => vi.resetAllMocks())

const PASSWORD = 'correct horse battery'
const secret = 'a secret of more than 32 characters'

async function makeUser() {
  const sellerId = await makeSeller()
  const email = `${randomUUID()}@example.com`
  return { sellerId, email, userId: await addUser(sellerId, { email, password: PASSWORD, role: 'staff' }) }
}

/** Requests next-auth's session route. Returns the value that it sets for the session cookie, if any. */
async function readSession(sessionId: string): Promise<string | undefined> {
  const cookies: string[] = []
  const response = {
    getHeader: () => cookies,
    setHeader: (name: string, value: string[]) => name === 'Set-Cookie' && cookies.splice(0, cookies.length, ...value),
    status: () => response,
    send: () => undefined,
  }
  const token = await encode({ token: { sessionId }, secret })
  const request = { headers: {}, cookies: { 'next-auth.session-token': token }, query: { nextauth: ['session'] }, method: 'GET' }
  await NextAuth(request as unknown as NextApiRequest, response as unknown as NextApiResponse, { ...routeOptions, secret })
  return cookies.map((cookie) => /^next-auth\.session-token=([^;]*)/.exec(cookie)?.[1]).find((value) => value !== undefined)
}

it('signs in, and remembers the browser', async () => {
  const { email, userId } = await makeUser()
  expect(await authorize({ email, password: PASSWORD, csrfToken: 'x' })).toEqual({ id: userId, sessionId: expect.any(String) })
  expect(jar.set).toHaveBeenCalledOnce()
})

it('treats credentials that are not strings, or that PostgreSQL rejects, as wrong', async () => {
  const { email } = await makeUser()
  for (const invalid of [{ sellerId: '\0' }, { sellerId: ['x'] }, { code: {} }, { email: undefined }, { password: 1 }]) {
    expect(await authorize({ email, password: PASSWORD, ...invalid })).toBeNull()
  }
  await expect(authorize({ email, password: 'wrong', code: '\0' })).resolves.toBeNull()
})

it('logs an error instead of returning its message', async () => {
  const logged = vi.spyOn(log(), 'error').mockReturnValue()
  jar.get.mockImplementation(() => {
    throw new Error('Failed query: select "users"."id"')
  })
  await expect(authorize({ email: 'a@example.com', password: PASSWORD })).rejects.toThrow(/^failed$/)
  expect(logged).toHaveBeenCalledWith({ error: expect.any(Error) }, 'sign-in failed')
})

it('renews the cookie of a valid session, and deletes it once the session has ended', async () => {
  const { userId } = await makeUser()
  const sessionId = String(await createSession(userId, String(await readCredentialsHash(userId))))
  expect(await readSession(sessionId)).toMatch(/^ey/)
  await endSession(sessionId)
  vi.spyOn(console, 'error').mockReturnValue()
  expect(await readSession(sessionId)).toBe('')
})
