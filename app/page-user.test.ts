/** Tests that requests name the user that their page was rendered for, and are rejected if a different user has signed in since. */
import { expect, it } from 'vitest'
import { toActionMessage } from './action-error'
import { checkPageUser, namesDifferentUser, OtherUserError, PAGE_USER, withPageUser } from './page-user'

const USER = { userId: 'ada', email: 'ada@example.com', sellerName: 'Second Shop' }
const ACTION = { 'next-action': 'abc', 'content-type': 'text/plain' }

const check = (headers: Record<string, string>) => () => checkPageUser(new Headers(headers), USER)

it('an action is rejected unless its page was rendered for the signed-in user', () => {
  expect(check({ [PAGE_USER]: 'ada' })).not.toThrow()
  expect(check({ [PAGE_USER]: 'zoe' })).toThrow(OtherUserError)
  // A page that does not name its user could be anyone's.
  expect(check({})).toThrow(OtherUserError)
})

it('a script’s request is rejected only if it names a different user', () => {
  expect(namesDifferentUser(new Headers(), 'ada')).toBe(false)
  expect(namesDifferentUser(new Headers({ [PAGE_USER]: 'ada' }), 'ada')).toBe(false)
  expect(namesDifferentUser(new Headers({ [PAGE_USER]: 'zoe' }), 'ada')).toBe(true)
})

it('the browser reads the message from the digest, and rethrows other errors', () => {
  const { digest } = new OtherUserError(USER)
  expect(toActionMessage(Object.assign(new Error('hidden'), { digest }))).toBe(
    'You are now signed in to Second Shop as ada@example.com. Reload this page.',
  )
  const other = Object.assign(new Error('x'), { digest: '123' })
  expect(() => toActionMessage(other)).toThrow(other)
})

it('adds the page’s user to requests other than GET, and keeps their other headers', async () => {
  const sent: [string | undefined, Headers][] = []
  const send: typeof fetch = async (_, init) => {
    sent.push([init?.method, new Headers(init?.headers)])
    return new Response()
  }
  await withPageUser(send, () => 'ada')('/', { method: 'POST', headers: ACTION })
  await withPageUser(send, () => 'ada')('/')
  await withPageUser(send, () => undefined)('/', { method: 'POST' })
  expect(sent.map(([method, headers]) => [method, headers.get('next-action'), headers.get(PAGE_USER)])).toEqual([
    ['POST', 'abc', 'ada'],
    [undefined, null, null],
    ['POST', null, null],
  ])
})
