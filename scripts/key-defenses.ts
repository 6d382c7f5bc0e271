/** Defenses against guessed ticket codes, forged API keys and repeated scans. */
import type { Defense } from './defenses'

export const KEY_DEFENSES: Defense[] = [
  {
    name: 'rate limit for unknown codes',
    cuts: [
      { file: 'lib/http/unknown-codes.ts', from: 'if (spent.remainingPoints === 0) blocked', to: 'if (!spent) blocked' },
      { file: 'lib/http/unknown-codes.ts', from: 'if (isExceeded) refuse', to: 'if (isExceeded && !state) refuse' },
    ],
    test: { file: 'e2e/rate-limit.spec.ts', title: '150 unknown codes' },
    says: /toHaveLength|429/,
  },
  {
    name: 'rate limit for unknown codes also applies to previews of known codes',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: 'if (spent && !(checkIn && (await', to: 'if (spent && !((await' }],
    test: {
      file: 'lib/http/unknown-codes.test.ts',
      title: 'receives the same 429 for previews of known and unknown codes, and can still check in tickets',
    },
    says: /to include \+0|deeply equal/,
  },
  {
    name: 'rate limit for unknown codes also applies to parallel guesses',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: 'if (isExceeded) refuse', to: 'if (isExceeded && !state) refuse' }],
    test: { file: 'lib/http/unknown-codes.test.ts', title: 'receives a 404 for at most as many parallel guesses as the limit allows' },
    says: /less than or equal/,
  },
  {
    name: 'rate limit for unknown codes on the check-in page',
    cuts: [
      {
        file: 'app/door/scan/route.ts',
        from: 'await limitUnknownCodes(change, serializeScan, (serialize) => validateTicket(change, serialize))',
        to: 'await validateTicket(change, serializeScan)',
      },
    ],
    test: { file: 'app/door/scan/route.test.ts', title: 'rejects previews' },
    says: /429/,
  },
  {
    name: 'rate limit for unknown codes also applies to tickets for another event',
    cuts: [
      {
        file: 'lib/http/unknown-codes.ts',
        from: "['idempotency_mismatch', 'other_event', 'not_checked_in']",
        to: "['idempotency_mismatch', 'not_checked_in']",
      },
    ],
    test: { file: 'app/door/scan/route.test.ts', title: 'returns the same error for tickets for another event' },
    says: /200.*429/,
  },
  {
    name: 'rate limit for unknown codes also applies to reused idempotency keys and too much metadata',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: 'if (error instanceof TooMuchMetadataError) refuseIfSpent(actorId)', to: '' }],
    test: { file: 'lib/http/unknown-codes.test.ts', title: 'with a reused idempotency key or too much metadata' },
    says: /toEqual|deeply equal/,
  },
  {
    name: 'API keys that guess codes above their limit are paused',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: ', refusedGuesses.get(keyId)', to: '' }],
    test: { file: 'lib/http/unknown-codes.test.ts', title: 'is also paused for guesses above its limit' },
    says: /expected 429 to be 403/,
  },
  {
    name: 'API keys that hide guesses among previews are paused',
    cuts: [
      {
        file: 'lib/accounts/pause-key.ts',
        from: 'least(greatest(\u0024{entries}, 1), \u0024{MAX_ENTRIES_PER_TICKET}::int)',
        to: 'count(*)',
      },
    ],
    test: {
      file: 'lib/accounts/pause-key.test.ts',
      title: 'cannot be evaded by repeated previews of one ticket or by reused idempotency keys',
    },
    says: /expected false to be true/,
  },
  {
    name: 'API keys that hide guesses among repeated entries with one ticket are paused',
    cuts: [
      {
        file: 'lib/accounts/pause-key.ts',
        from: 'least(greatest(\u0024{entries}, 1), \u0024{MAX_ENTRIES_PER_TICKET}::int)',
        to: 'greatest(\u0024{entries}, 1)',
      },
    ],
    test: { file: 'lib/accounts/pause-key.test.ts', title: 'counts up to 20 entries and exits of each ticket as known codes' },
    says: /expected false to be true/,
  },
  {
    name: 'API keys are not paused if half of the codes are known',
    cuts: [{ file: 'lib/accounts/pause-key.ts', from: ' and \u0024{unknown} > \u0024{known}`', to: ' and \u0024{known} >= 0`' }],
    test: { file: 'lib/accounts/pause-key.test.ts', title: 'does not pause a key if at least half of the codes it sends are known' },
    says: /expected true to be false/,
  },
  {
    name: 'resuming an API key: only by its own seller',
    cuts: [{ file: 'lib/accounts/pause-key.ts', from: 'and(eq(apiKeys.sellerId, sellerId), ', to: "and(sql`\u0024{sellerId} <> ''`, " }],
    test: { file: 'lib/accounts/pause-key.test.ts', title: 'ends the pause' },
    says: /expected true to be false/,
  },
  {
    name: 'resuming an API key: takes effect immediately',
    cuts: [{ file: 'lib/accounts/pause-key.ts', from: 'evictPrincipal(id)', to: '' }],
    test: { file: 'lib/accounts/pause-key.test.ts', title: 'ends the pause' },
    says: /deeply equal/,
  },
  {
    name: 'resuming an API key: earlier guesses no longer count',
    cuts: [
      {
        file: 'lib/accounts/pause-key.ts',
        from: 'greatest(now() - \u0024{PAUSE}, \u0024{apiKeys.pausedUntil})',
        to: 'now() - \u0024{PAUSE}',
      },
    ],
    test: { file: 'lib/accounts/pause-key.test.ts', title: 'ends the pause' },
    says: /expected true to be false/,
  },
  {
    name: 'a rotated API key stays paused',
    cuts: [{ file: 'lib/accounts/api-keys.ts', from: 'renewed, old.pausedUntil)', to: 'renewed)' }],
    test: { file: 'lib/accounts/api-keys.test.ts', title: 'passes its pause on to its replacement' },
    says: /expected null/,
  },
  {
    name: 'API keys that guess codes are paused',
    cuts: [
      {
        file: 'lib/http/unknown-codes.ts',
        from: "    await pauseIfGuessing(sellerId, keyId, database('doors'), refusedGuesses.get(keyId))\n",
        to: '',
      },
    ],
    test: { file: 'lib/http/unknown-codes.test.ts', title: 'is paused with 403' },
    says: /403/,
  },
  {
    name: 'refused guesses count as requests',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: '  refused += 1\n', to: '  refused += 1\n  void refundRequest(actorId)\n' }],
    test: {
      file: 'lib/http/unknown-codes.test.ts',
      title: 'uses up its rate limit with rejected guesses, but not with guesses within the limit',
    },
    says: /to be \d+/,
  },
  {
    name: 'requests that a key may not make count toward its rate limit',
    cuts: [
      {
        file: 'lib/http/handler.ts',
        from: 'hasValidKey = true\n',
        to: 'hasValidKey = true\n    assertAllowed(principal, operation.scope)\n',
      },
    ],
    test: { file: 'lib/http/authenticate.test.ts', title: 'toward its rate limit, and delays the responses' },
    says: /scope_missing|key_paused/,
  },
  {
    name: 'limit on 403s and 429s in the request log',
    cuts: [{ file: 'lib/http/request-log.ts', from: ' && !isExcess(request)', to: ' && isExcess' }],
    test: { file: 'lib/http/request-log.test.ts', title: 'stores at most as many 403s and 429s per key' },
    says: /to be \d+/,
  },
  {
    name: 'delay for refusals above a rate limit',
    cuts: [{ file: 'server.ts', from: "isUpload ? 'upload' : reply.refusal", to: "isUpload && 'upload'" }],
    test: { file: 'e2e/rate-limit.spec.ts', title: 'a client that retries immediately' },
    says: /toBeGreaterThan/,
  },
  {
    name: 'delay for refusals under overload',
    cuts: [{ file: 'lib/http/handler.ts', from: ' || (reply.status === 503 && !operation.atDoor)', to: '' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'lets the server delay the 503 of a list' },
    says: /refusal/,
  },
  {
    name: 'limit on invalid API keys per IP address',
    cuts: [{ file: 'lib/http/authenticate.ts', from: ', () => limitUnknownKeys(request.address)', to: '' }],
    test: { file: 'lib/http/authenticate.test.ts', title: 'after 300 unknown keys' },
    says: /429/,
  },
  {
    name: 'limit on API requests without a key per IP address',
    cuts: [{ file: 'lib/http/authenticate.ts', from: '  await limitUnknownKeys(address)\n', to: '' }],
    test: { file: 'lib/http/authenticate.test.ts', title: 'also limits requests without a key' },
    says: /expected 401 to be 429/,
  },
  {
    name: 'separate queue for unknown API keys',
    cuts: [
      { file: 'lib/accounts/verify-key.ts', from: 'known.has(cacheKey) ? find() : unknownKeys.run(find)', to: 'find()' },
      { file: 'lib/accounts/verify-key.ts', from: 'isKnown ? openPool() : keyPool()', to: 'openPool()' },
    ],
    test: {
      file: 'lib/accounts/verify-key.test.ts',
      title: 'verifies a key that has not been used since startup while 1,500 forged keys are waiting',
    },
    says: /UnavailableError|less than 100/,
  },
  {
    name: 'forged API keys take no slots from lists',
    cuts: [
      {
        file: 'lib/http/handler.ts',
        from: 'await authenticate(request, operation.atDoor && doorKeyPool)',
        to: "await runList('', () => authenticate(request, operation.atDoor && doorKeyPool))",
      },
    ],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'gives no slot to a request with a forged key' },
    says: /deeply equal/,
  },
  {
    name: 'sellers take turns for lists',
    cuts: [{ file: 'lib/http/handler.ts', from: 'runList(principal.sellerId, work)', to: "runList('', work)" }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'lets sellers take turns' },
    says: /503/,
  },
  {
    name: 'erasures take no slots from lists',
    cuts: [{ file: 'lib/http/handler.ts', from: '(isLong ? runLongWrite', to: '(operation.atDoor ? runLongWrite' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'runs two erasures at a time' },
    says: /deeply equal/,
  },
  {
    name: 'check-ins take precedence over lists',
    cuts: [{ file: 'lib/http/load-shedding.ts', from: '?.whenIdle(CHECK_INS_FIRST_MS)', to: '?.whenIdle(0)' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'makes lists wait while tickets are being checked in, but only briefly' },
    says: /deeply equal/,
  },
  {
    name: 'check-ins take precedence over imports',
    cuts: [{ file: 'lib/sync/import/import.ts', from: 'if (await isCheckInActive()) await pause(ms)', to: 'await isCheckInActive()' }],
    test: { file: 'lib/sync/import/check-ins-first.test.ts', title: 'pauses after each batch' },
    says: /greater than or equal to 3/,
  },
  {
    name: 'one lookup for parallel requests with the same API key',
    cuts: [
      {
        file: 'lib/accounts/verify-key.ts',
        from: 'cache.verified.get(cacheKey) ?? cache.pending.get(cacheKey)',
        to: 'cache.verified.get(cacheKey)',
      },
      { file: 'lib/accounts/verify-key.ts', from: 'return cache.pending.get(cacheKey) ?? lookUp(', to: 'return lookUp(' },
    ],
    test: { file: 'lib/accounts/verify-key.test.ts', title: 'looks up a key once for parallel requests' },
    says: /expected 5 to be 1/,
  },
  {
    name: 'a rotated API key keeps its expiry',
    cuts: [{ file: 'lib/accounts/api-keys.ts', from: 'scopes: old.scopes as Scope[], expiresAt }', to: 'scopes: old.scopes as Scope[] }' }],
    test: { file: 'lib/accounts/api-keys.test.ts', title: 'passes its expiry on to its replacement' },
    says: /expected null to be/,
  },
  {
    name: 'checksum of API keys',
    cuts: [{ file: 'lib/accounts/verify-key.ts', from: " && checksum(match[1] ?? '') === match[2]", to: '' }],
    test: { file: 'lib/http/authenticate.test.ts', title: 'does not look up a key with a wrong checksum' },
    says: /to be \+?0/,
  },
  {
    name: 'connections for API key lookups stay open',
    cuts: [{ file: 'db/client.ts', from: '(keepsIdle ?', to: '(!max ?' }],
    test: { file: 'db/pools.test.ts', title: 'keeps the connections for key lookups open' },
    says: /to deeply equal|toEqual/,
  },
  {
    name: 'a scan without a response is sent as a new scan after a minute',
    cuts: [{ file: 'app/door/door-client.ts', from: 'const REPEAT_MS = 60_000', to: 'const REPEAT_MS = 60_000_000' }],
    test: { file: 'app/door/door-client.test.ts', title: 'sends the same code as a new scan after a minute' },
    says: /deeply equal/,
  },
  {
    name: 'replayed scans are shown as replayed',
    cuts: [{ file: 'app/door/door-request.ts', from: 'replayed: change.result === undefined', to: 'replayed: false' }],
    test: { file: 'app/door/scan/route.test.ts', title: 'returns the stored outcome' },
    says: /"replayed": true/,
  },
  {
    name: 'late scans never check in a guest',
    cuts: [{ file: 'app/door/scan/route.ts', from: 'checkIn: checkIn && !late', to: 'checkIn' }],
    test: { file: 'app/door/scan/route.test.ts', title: 'records a late scan' },
    says: /previewed/,
  },
  {
    name: 'sellers take turns at check-in',
    cuts: [{ file: 'db/semaphore.ts', from: "const acquire = (owner = '')", to: "const acquire = (_: string | undefined, owner = '')" }],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'a rush of one seller’s scans' },
    says: /to be less than or equal to 2/,
  },
]
