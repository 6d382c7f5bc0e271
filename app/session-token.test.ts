/** Only tokens that this server has signed have a session ID. */
import { encode } from 'next-auth/jwt'
import { expect, it } from 'vitest'
import { readSessionId } from './session-token'

const SECRET = 'a secret of at least 32 characters'
const token = { sessionId: 'the-session' }

it('returns the session ID of a genuine token', async () => {
  expect(await readSessionId(await encode({ token, secret: SECRET }), SECRET)).toBe('the-session')
})

it('returns nothing for a forged, an expired and another token', async () => {
  for (const forged of [
    'forged',
    await encode({ token, secret: 'another secret of 32 characters..' }),
    await encode({ token, secret: SECRET, maxAge: -3600 }),
    await encode({ token: {}, secret: SECRET }),
  ])
    expect(await readSessionId(forged, SECRET)).toBeUndefined()
})
