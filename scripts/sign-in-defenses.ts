/** Defenses for signing in. */
import type { Defense } from './defenses'

export const SIGN_IN_DEFENSES: Defense[] = [
  {
    name: 'changes rejected if another user has signed in since the page was opened',
    cuts: [
      {
        file: 'app/page-user.ts',
        from: 'if (headers.get(PAGE_USER) !== user.userId) throw',
        to: 'if (headers.get(PAGE_USER) === null) throw',
      },
    ],
    test: { file: 'app/page-user.test.ts', title: 'an action is rejected unless its page was rendered for the signed-in user' },
    says: /to throw/,
  },
  {
    name: 'two-factor: the password alone does not reset the count of wrong codes in an open session',
    cuts: [{ file: 'lib/accounts/change-password.ts', from: 'user.hasTwoFactor ? undoAttempts([subject]) : ', to: '' }],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'even if the correct password is entered elsewhere' },
    says: /resolved|promise/,
  },
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
        from: '  // All callers lock the rows in the same order, to prevent deadlocks.\n',
        to: '  if ((await readWait(subjects)) > 0) return []\n',
      },
      { file: 'lib/accounts/sign-in-throttle.ts', from: 'where known.failures <', to: 'where true or known.failures <' },
    ],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'evaluates five of 50 parallel wrong passwords' },
    says: /to have a length of 5 but got/,
  },
  {
    name: 'separate limit on sign-in attempts for known devices',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: 'user.id === userId &&', to: "user.id === 'x' &&" }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'is not locked out by attempts on other devices, even from the same IP address' },
    says: /signed_in/,
  },
  {
    name: 'one limit shared by all known devices',
    cuts: [
      {
        file: 'lib/accounts/sign-in-throttle.ts',
        from: "isKnownDevice ? 'device' : 'user', userId)",
        to: "isKnownDevice ? 'device' : 'user', isKnownDevice ? JSON.stringify(device) : userId)",
      },
    ],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'shares its limit with the user’s other known devices' },
    says: /too_many_attempts/,
  },
  {
    name: 'known devices must have the current credentials',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: ' && user.credentialsHash === credentialsHash', to: '' }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'is no longer known after the password or two-factor authentication has changed' },
    says: /deeply equal/,
  },
  {
    name: 'password guesses at another shop count toward the user’s limit',
    cuts: [
      {
        file: 'lib/accounts/sign-in.ts',
        from: 'found.map((user) => ({ ...toGuess(user), user: undefined }))',
        to: '[]',
      },
    ],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'does not reveal whether the chosen shop has a user with it' },
    says: /too_many_attempts/,
  },
  {
    name: 'sign-in errors do not reach the browser',
    cuts: [{ file: 'app/auth.ts', from: "throw new Error('failed')", to: 'throw error' }],
    test: { file: 'app/auth.test.ts', title: 'logs an error instead' },
    says: /Failed query/,
  },
  {
    name: 'turning on the second factor requires the password',
    cuts: [
      {
        file: 'lib/accounts/two-factor.ts',
        from: 'await verifyOwnPassword(userId, password, device)',
        to: 'await Promise.resolve([verifyOwnPassword, password, device])',
      },
    ],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'must be correct, and counts as a failed sign-in attempt if it is wrong' },
    says: /resolved/,
  },
  {
    name: 'sessions end after an owner resets the second factor',
    cuts: [
      {
        file: 'lib/accounts/two-factor.ts',
        from: "await endUserSessions(connection, userId)\n    await writeAudit(connection, { sellerId, by, action: 'two_factor.reset'",
        to: "await writeAudit(connection, { sellerId, by, action: 'two_factor.reset'",
      },
    ],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'is possible for other owners' },
    says: /toBeUndefined|to be undefined/,
  },
  {
    name: 'sessions without the second factor end when it is turned on',
    cuts: [{ file: 'lib/accounts/two-factor.ts', from: 'await endUserSessions(connection, userId, sessionId)', to: 'void sessionId' }],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'end when it is turned on' },
    says: /to be undefined/,
  },
  {
    name: 'no session for a sign-in that started before the second factor was turned on',
    cuts: [
      {
        file: 'lib/accounts/credentials.ts',
        from: " || coalesce(\u0024{twoFactors.secret}, '')",
        to: '',
      },
    ],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'cannot be created by a sign-in' },
    says: /to be undefined/,
  },
  {
    name: 'lock on the user while the second factor changes',
    cuts: [{ file: 'lib/accounts/two-factor.ts', from: '    await lockUser(connection, userId)\n    const added', to: '    const added' }],
    test: {
      file: 'lib/accounts/two-factor.test.ts',
      title: 'end even if they are being created while two-factor authentication is turned on or reset',
    },
    says: /other connections wait/,
  },
  {
    name: 'no renewal of ended sessions',
    cuts: [{ file: 'app/auth.ts', from: "throw new Error('The session has ended.')", to: 'return toToken({ token, user })' }],
    test: { file: 'app/auth.test.ts', title: 'renews the cookie of a valid session' },
    says: /to be ''/,
  },
  {
    name: 'names of paused API keys are shown only after the second factor',
    cuts: [{ file: 'app/(dashboard)/layout.tsx', from: ' && hasAccess', to: '' }],
    test: { file: 'app/(dashboard)/layout.test.ts', title: 'hides paused keys from' },
    says: /to be false/,
  },
  {
    name: 'saved views are shown only after the second factor',
    cuts: [{ file: 'app/(dashboard)/layout.tsx', from: 'hasAccess ? <SavedViews user={user} /> : null', to: '<SavedViews user={user} />' }],
    test: { file: 'app/(dashboard)/layout.test.ts', title: 'shows saved views, which contain search texts, only to users' },
    says: /to be false/,
  },
  {
    name: 'separate sign-in limits for users with the same email address',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: "'device' : 'user', userId)", to: "'device' : 'user', '')" }],
    test: {
      file: 'lib/accounts/sign-in.test.ts',
      title: 'has a separate limit for each shop, so that signing in to one does not allow more guesses at another',
    },
    says: /too_many_attempts/,
  },
  {
    name: 'a new password at one shop counts as a guess at the others',
    cuts: [{ file: 'lib/accounts/sign-in.ts', from: 'if (tried.has(pair)) return true', to: 'if (pair) return true' }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'counts each new password of a user as a guess at the other shops' },
    says: /too_many_attempts/,
  },
  {
    name: 'X-Forwarded-For only from trusted proxies',
    cuts: [
      { file: 'lib/http/client-address.ts', from: 'proxies !== undefined; hop++', to: 'hop < 9; hop++' },
      {
        file: 'lib/http/client-address.ts',
        from: "const isTrusted = 'hops' in proxies",
        to: "const isTrusted = !proxies || 'hops' in proxies",
      },
      { file: 'lib/http/client-address.ts', from: 'hop < proxies.hops', to: 'hop < (proxies?.hops ?? 1)' },
    ],
    test: { file: 'lib/http/client-address.test.ts', title: 'no trusted proxy, ignoring the header' },
    says: /expected '/,
  },
  {
    name: 'IPv6 clients identified by their /64 prefix',
    cuts: [{ file: 'lib/http/client-address.ts', from: '.slice(0, 4)', to: '.slice(0, 8)' }],
    test: { file: 'lib/http/client-address.test.ts', title: 'another address in the same /64 network' },
    says: /expected '/,
  },
  {
    name: 'email addresses normalized to one form',
    cuts: [{ file: 'lib/accounts/email.ts', from: ".normalize('NFC')", to: ".normalize('NFC').replaceAll('İ', 'i')" }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'does not allow more guesses with look-alike spellings of an email address' },
    says: /to be 'wrong'/,
  },
  {
    name: 'users with the same email address at different sellers are independent',
    cuts: [
      {
        file: 'lib/accounts/users.ts',
        from: 'await orm.insert(users).values({ id, sellerId, ...user,',
        to: `const same = eq(users.email, normalizeEmail(user.email))
    if ((await orm.select().from(users).where(same)).length > 0) throw new EmailTakenError(user.email)
    await orm.insert(users).values({ id, sellerId, ...user,`,
      },
    ],
    test: {
      file: 'lib/accounts/invitations.test.ts',
      title: 'creates a separate user if another shop has a user with the same email address',
    },
    says: /EmailTakenError|email_taken/,
  },
  {
    name: 'purge of sign-in failures',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: 'lastAt} <= now() - \u0024{RESET_AFTER} limit', to: 'lastAt} is null limit' }],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'is deleted after an hour without a failure' },
    says: /toEqual|to deeply equal/,
  },
  {
    name: 'second factor at sign-in',
    cuts: [{ file: 'lib/accounts/sign-in.ts', from: 'if (user.hasTwoFactor && code === undefined)', to: 'if (false)' }],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'requires a code after the correct password' },
    says: /code_required/,
  },
  {
    name: 'each two-factor code works only once',
    cuts: [{ file: 'lib/accounts/two-factor.ts', from: 'lastStep} < \u0024{step} returning', to: 'lastStep} <= \u0024{step} returning' }],
    test: { file: 'lib/accounts/two-factor.test.ts', title: 'accepts a code only once, even in concurrent calls' },
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
    test: {
      file: 'lib/accounts/two-factor.test.ts',
      title: 'counts wrong codes like wrong passwords, and does not reset the count after a correct password alone',
    },
    says: /too_many_attempts/,
  },
  {
    name: 'a required second factor must be set up first',
    cuts: [
      { file: 'app/session.ts', from: "if (right !== 'account' && mustSetUpTwoFactor(user))", to: "if (right === 'account' && !user)" },
    ],
    test: { file: 'e2e/dashboard/two-factor.spec.ts', title: 'an owner requires two-factor authentication' },
    says: /toHaveURL|Set up two-factor authentication first/,
    built: true,
  },
  {
    name: 'a form keeps its input if the user has been signed out',
    cuts: [
      { file: 'app/session.ts', from: "!signedInUser && requestHeaders.has('next-action')", to: 'false' },
      { file: 'lib/http/page-handler.ts', from: "incoming.headers['next-action'] !== undefined && !isDoor(incoming)", to: 'false' },
    ],
    test: { file: 'e2e/dashboard/settings.spec.ts', title: 'a form keeps its input after its user is signed out' },
    says: /You have been signed out/,
    built: true,
  },
  {
    name: 'no query for a malformed email address',
    cuts: [
      {
        file: 'lib/accounts/sign-in.ts',
        from: 'if (!emailSchema.safeParse(email).success) return []',
        to: 'if (email === undefined) return []',
      },
    ],
    test: { file: 'lib/accounts/sign-in.test.ts', title: 'text that PostgreSQL rejects' },
    says: /Failed query/,
  },
  {
    name: 'the session ends on next-auth’s sign-out',
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
    name: 'session tokens accepted only with the server’s own algorithm',
    cuts: [
      { file: 'app/session-token.ts', from: 'params.token?.startsWith(HEADER) === false', to: 'params.token?.startsWith(HEADER) === null' },
    ],
    test: { file: 'app/session-token.test.ts', title: 'rejects a token with a different algorithm' },
    says: /to be undefined/,
  },
  {
    name: 'rejection of ended sessions',
    cuts: [{ file: 'lib/accounts/sessions.ts', from: 'endedAt} is null and \u0024{sessions.expiresAt}', to: 'expiresAt}' }],
    test: { file: 'lib/accounts/team.test.ts', title: 'ends their sessions' },
    says: /to be undefined/,
  },
]
