/** The defenses of signing in; `defences.ts` has all others. */
import type { Defence } from './defences'

export const SIGN_IN_DEFENCES: Defence[] = [
  {
    name: 'delay after wrong passwords',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: 'known.failures < \u0024{FREE_FAILURES} or', to: 'true or' }],
    test: { file: 'lib/accounts/team.test.ts', title: 'is throttled' },
    says: /promise resolved/,
  },
  {
    name: 'sign-in attempts counted before they are evaluated',
    cuts: [
      {
        file: 'lib/accounts/sign-in-throttle.ts',
        from: 'where known.failures <',
        to: 'where (select coalesce(max(old.failures), 0) from sign_in_failures as old where old.subject = known.subject) <',
      },
    ],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'evaluates five of 50 parallel wrong passwords' },
    says: /to have a length of 5 but got/,
  },
  {
    name: 'separate limit of known devices',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: 'device?.userIds.includes(userId) ?? false', to: 'device?.id === userId' }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'is not locked out by others’ attempts' },
    says: /signed_in/,
  },
  {
    name: 'separate limits of one email’s users',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: "subjectOf('user', userId)", to: "subjectOf('user', '')" }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'has a limit at each' },
    says: /too_many_attempts/,
  },
  {
    name: 'purge of sign-in failures',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: 'lastAt} <= now() - \u0024{RESET_AFTER} limit', to: 'lastAt} is null limit' }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'is deleted once it has reset' },
    says: /toEqual|to deeply equal/,
  },
  {
    name: 'second factor at sign-in',
    cuts: [{ file: 'lib/accounts/sign-in.ts', from: 'if (user.hasTwoFactor && code === undefined)', to: 'if (false)' }],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'requires a code after the correct password' },
    says: /code_required/,
  },
  {
    name: 'each code of the second factor works once',
    cuts: [{ file: 'lib/accounts/two-factor.ts', from: 'lastStep} < \u0024{step} returning', to: 'lastStep} <= \u0024{step} returning' }],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'accepts a code once, even by concurrent calls' },
    says: /to have a length of 1/,
  },
  {
    name: 'wrong codes counted as sign-in attempts',
    cuts: [
      {
        file: 'lib/accounts/sign-in.ts',
        from: 'await undoAttempts([shared, user.subject].filter(isCounted))',
        to: 'await forgetFailures(user.subject)',
      },
    ],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'counts wrong codes as wrong passwords' },
    says: /too_many_attempts/,
  },
  {
    name: 'setup of a required second factor',
    cuts: [
      { file: 'app/session.ts', from: "if (right !== 'account' && mustSetUpTwoFactor(user))", to: "if (right === 'account' && !user)" },
    ],
    test: { file: 'e2e/dashboard/two-factor.spec.ts', title: 'an owner requires it' },
    says: /two-factor/,
    built: true,
  },
  {
    name: 'no query for a malformed email',
    cuts: [
      {
        file: 'lib/accounts/sign-in.ts',
        from: 'if (!emailFormat.safeParse(email).success) return []',
        to: 'if (email === undefined) return []',
      },
    ],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'text that PostgreSQL rejects' },
    says: /Failed query/,
  },
  {
    name: 'end of the session on next-auth’s sign-out',
    cuts: [
      {
        file: 'app/auth.ts',
        from: 'token.sessionId ? endSession(token.sessionId) :',
        to: "token.sessionId === 'never' ? endSession(token.sessionId) :",
      },
    ],
    test: { file: 'e2e/dashboard/sign-in.spec.ts', title: 'own sign-out ends the session' },
    says: /Sign in/,
    built: true,
  },
  {
    name: 'rejection of ended sessions',
    cuts: [{ file: 'lib/accounts/sessions.ts', from: 'endedAt} is null and \u0024{sessions.expiresAt}', to: 'expiresAt}' }],
    test: { file: 'lib/accounts/team.test.ts', title: 'ends the sessions' },
    says: /to be undefined/,
  },
]
