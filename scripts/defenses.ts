/** Defenses against faults, floods and misuse, each with the edit that removes it and the test that fails without it. */

type Cut = { file: string; from: string; to: string }

export type Defense = {
  name: string
  cuts: Cut[]
  /** The test file and part of the failing test's title. */
  test: { file: string; title: string }
  /** Matches the output of the expected failure. A test that fails for another reason proves nothing. */
  says: RegExp
  /** Set if the test needs the full number of rounds, as in `npm run suite -- faults`. */
  full?: true
  /** Set if the defense is in a page, so that the project must be rebuilt. */
  built?: true
}

const OVERLOAD = 'e2e/faults/overload.fault.ts'
const MATRIX = 'e2e/matrix.spec.ts'

export const DEFENSES: Defense[] = [
  {
    name: 'rebuilding a pool that no longer responds',
    cuts: [{ file: 'db/client.ts', from: 'const replace = () => current === client && rebuild()', to: 'const replace = () => {}' }],
    test: { file: 'db/client.test.ts', title: 'waits for a transaction for as long as its caller allows, and then replaces the pool' },
    says: /UnavailableError/,
  },
  {
    name: 'a pool is kept if a transaction with many statements takes too long',
    cuts: [{ file: 'db/client.ts', from: 'isLong ? limitTime(', to: '!maxMs ? limitTime(' }],
    test: { file: 'db/client.test.ts', title: 'rejects further statements of a transaction that takes longer than its caller allows' },
    says: /driver_stalled/,
  },
  {
    name: 'rebuilding the pools after a driver fault',
    cuts: [{ file: 'server.ts', from: 'if (isDriverFault(error)) rebuildPools()', to: 'if (isDriverFault(error)) return' }],
    test: {
      file: 'e2e/process.spec.ts',
      title: 'after an exception from a known bug in the database driver',
    },
    says: /toEqual/,
  },
  {
    name: 'limited wait for a database connection',
    cuts: [{ file: 'db/client.ts', from: 'const ACQUIRE_MS = 750', to: 'const ACQUIRE_MS = 60_000' }],
    test: { file: 'db/client.test.ts', title: 'rejects within the time limit' },
    says: /promise resolved/,
  },
  {
    name: 'time spent opening a connection does not count as waiting',
    cuts: [{ file: 'db/client.ts', from: 'isProlonged: () => opening.count() > 0', to: 'isProlonged: () => opening.count() < 0' }],
    test: { file: 'db/client.test.ts', title: 'does not count time during which a connection is being opened as waiting' },
    says: /pool_exhausted/,
  },
  {
    name: 'database connections opened before the first request',
    cuts: [{ file: 'server.ts', from: 'readRouteTree(APP), warmUp()])', to: 'readRouteTree(APP), warmUp && undefined])' }],
    test: { file: 'e2e/process.spec.ts', title: 'five concurrent requests with one key' },
    says: /Expected: >= +10/,
  },
  {
    name: 'connections opened in every pool',
    cuts: [{ file: 'db/pools.ts', from: 'length: count(name) }, () => open', to: 'length: 1 }, () => open' }],
    test: { file: 'db/pools.test.ts', title: 'opens 14 connections for check-in and two in every other pool before the first request' },
    says: /toEqual|deeply equal/,
  },
  {
    name: 'lock on a ticket’s row',
    cuts: [{ file: 'lib/admission/statements.ts', from: '  for no key update`', to: '`' }],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'is decided according to what the first scan committed' },
    says: /duplicate key value/,
  },
  {
    name: 'one connection for all concurrent scans of a ticket',
    cuts: [{ file: 'db/semaphore.ts', from: 'ticketLocks.run(key, work)', to: 'work()' }],
    test: { file: OVERLOAD, title: 'a locked ticket get 503s' },
    says: /rejected in time|"status": 503/,
  },
  {
    name: 'responses stored under idempotency keys',
    cuts: [{ file: 'lib/admission/statements.ts', from: 'isKeyed ? STORED_RESPONSE :', to: 'isKeyed && false ? STORED_RESPONSE :' }],
    test: { file: 'e2e/faults/cut.fault.ts', title: 'a retry gets the first response if' },
    says: /500: |never got a response|a replay differs/,
  },
  {
    name: 'connections reserved for the doors',
    cuts: [
      {
        file: 'db/client.ts',
        from: "(name === 'general' ? undefined : openedPool(name)) ?? holder.checkoutDeskDatabase",
        to: 'name && holder.checkoutDeskDatabase',
      },
    ],
    test: { file: 'db/pools.test.ts', title: 'serves check-in and looks up keys' },
    says: /All slots of the connection pool 'general'/,
  },
  {
    name: 'immediate load shedding for lists',
    cuts: [{ file: 'lib/http/load-shedding.ts', from: 'const MAX_ACCEPTED = 48', to: 'const MAX_ACCEPTED = 100_000' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'accepts 48 of a hundred' },
    says: /to have a length of 48/,
  },
  {
    name: 'limit on concurrent lists',
    cuts: [
      { file: 'lib/http/load-shedding.ts', from: 'const LIMIT = Math.max(2, availableParallelism()) + 1', to: 'const LIMIT = 100_000' },
    ],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'accepts 48 of a hundred' },
    says: /to have a length of 48/,
  },
  {
    name: 'timeouts for slow clients',
    cuts: [
      { file: 'server.ts', from: 'headersTimeout: HEADERS_MS', to: 'headersTimeout: 0' },
      { file: 'server.ts', from: 'requestTimeout: REQUEST_MS', to: 'requestTimeout: 0' },
    ],
    test: { file: OVERLOAD, title: '200 clients' },
    says: /still open/,
  },
  {
    name: 'draining on SIGTERM',
    cuts: [{ file: 'server.ts', from: 'await drain(server)', to: 'server.closeAllConnections()' }],
    test: { file: 'e2e/faults/process.fault.ts', title: 'SIGTERM' },
    says: /every request sent before the signal gets a response/,
  },
  {
    name: 'readiness checks the database',
    cuts: [
      {
        file: 'lib/http/health-routes.ts',
        from: '  try {\n    return (await isMigrated',
        to: '  return\n  try {\n    return (await isMigrated',
      },
    ],
    test: { file: OVERLOAD, title: 'when every connection is busy' },
    full: true,
    says: /ready of/,
  },
  {
    name: 'rejection of a damaged secret',
    cuts: [{ file: 'lib/core/session-secret.ts', from: 'stored.length < MIN_SECRET_LENGTH', to: 'stored.length < 0' }],
    test: { file: 'lib/core/session-secret.test.ts', title: 'which could be guessed' },
    says: /instance of EnvError/,
  },
  {
    name: 'reads from the primary if the replica rejects the connection',
    cuts: [{ file: 'db/unavailable.ts', from: "  '28': 'connection_rejected',\n  '3D': 'connection_rejected',\n", to: '' }],
    test: { file: 'db/replica.test.ts', title: 'if the replica rejects the connection' },
    says: /no_such_database/,
  },
  {
    name: 'time limit for clients that stop reading',
    cuts: [{ file: 'lib/http/connections.ts', from: 'stalled += 1\n    socket.destroy()\n', to: 'stalled += 1\n' }],
    test: { file: 'lib/http/unread-responses.test.ts', title: 'of a client that reads nothing' },
    says: /expected false to be true/,
  },
  {
    name: 'API key scopes are checked',
    cuts: [{ file: 'lib/http/authenticate.ts', from: 'if (scope && !hasScope(scopes, scope))', to: 'if (scopes.length === 0)' }],
    test: { file: MATRIX, title: 'no route, parameter or scope' },
    says: /scope_missing/,
  },
  {
    name: 'only the seller’s own tickets are locked',
    cuts: [
      {
        file: 'lib/admission/statements.ts',
        from: 'isTicket[lookup]}\n  for no key update',
        to: 'isTicket[lookup]} or \u0024{isTicket[lookup]}\n  for no key update',
      },
    ],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'admits each seller’s own guest' },
    says: /unknown/,
  },
  {
    name: 'rejection of revoked keys',
    cuts: [{ file: 'lib/accounts/verify-key.ts', from: 'revokedAt} is null\n    and', to: 'id} is not null\n    and' }],
    test: { file: MATRIX, title: 'unknown, revoked and expired keys' },
    says: /key_invalid/,
  },
  {
    name: 'client secrets require a scope',
    cuts: [{ file: 'lib/http/list-route.ts', from: "hasScope(principal.scopes, 'secrets:read')", to: 'true' }],
    test: { file: 'e2e/contract/lists.spec.ts', title: 'return secrets only' },
    says: /not\.toContain/,
  },
  {
    name: 'rate limit per key',
    cuts: [{ file: 'lib/http/rate-limit.ts', from: 'if (limiter === null) return {}', to: 'if (limiter !== undefined) return {}' }],
    test: { file: 'e2e/error-responses.spec.ts', title: 'requests are limited per key' },
    says: /\+ +null/,
  },
  {
    name: 'rate limit shared by servers',
    cuts: [
      { file: 'lib/http/rate-limit.ts', from: "if (env().RATE_LIMIT_STORE === 'memory') return memory", to: 'if (memory) return memory' },
    ],
    test: { file: 'e2e/rate-limit.spec.ts', title: 'two servers' },
    says: /- +429/,
  },
  {
    name: 'signature check for Stripe events',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: 'Stripe.webhooks.constructEvent(payload, signature, secret, TOLERANCE_SECONDS)',
        to: 'JSON.parse(payload)',
      },
    ],
    test: { file: 'e2e/ingest.spec.ts', title: 'unsigned deliveries, and those with an old signature' },
    says: /\+ +200/,
  },
  {
    name: 'no parameters in log lines',
    cuts: [{ file: 'lib/http/request-log.ts', from: "pageRoute(incoming.url ?? '/')", to: "(pageRoute, incoming.url ?? '/')" }],
    test: { file: 'e2e/canaries.spec.ts', title: 'no log, metric, error response' },
    says: / in the log/,
  },
  {
    name: 'size limit for request bodies',
    cuts: [{ file: 'lib/http/body.ts', from: 'export const MAX_BODY_BYTES = 64 * 1024', to: 'export const MAX_BODY_BYTES = 2 ** 40' }],
    test: { file: 'e2e/hostile-requests.spec.ts', title: '16 MiB' },
    says: /413/,
  },
  {
    name: 'redirects only to this site',
    cuts: [{ file: 'app/same-origin-path.ts', from: "if (protocol !== site.protocol || host !== site.host) return '/'", to: '' }],
    test: { file: 'app/same-origin-path.test.ts', title: 'with the front page' },
    says: /expected 'alert\(1\)'/,
  },
  {
    name: 'no redirects to paths that browsers treat as hosts',
    cuts: [{ file: 'app/same-origin-path.ts', from: "pathname.replace(/^\\/+/, '/')", to: 'pathname' }],
    test: { file: 'app/same-origin-path.test.ts', title: 'never returns a path' },
    says: /expected '\/\/evil\.example'/,
  },
  {
    name: 'cached pages',
    cuts: [{ file: 'lib/http/cached-pages.ts', from: 'if (known) return known', to: '' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'renders the cached pages once' },
    says: /to have a length of 4/,
  },
  {
    name: 'a new nonce for each cached page',
    cuts: [{ file: 'lib/http/cached-pages.ts', from: "nonce: randomBytes(16).toString('base64')", to: 'nonce' }],
    test: {
      file: 'lib/http/page-handler.test.ts',
      title: 'sends a cached page with a new nonce, and with the host and the theme of the request',
    },
    says: /expected 1 to be 4|expected 2 to be 4/,
  },
  {
    name: 'one page at a time for visitors without a session',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'const LIMIT = 1', to: 'const LIMIT = 100' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'renders one page at a time' },
    says: /to have a length of 1/,
  },
  {
    name: 'limit on pages per IP address',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'const PER_MINUTE = 300', to: 'const PER_MINUTE = 100_000' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'rejects an address' },
    says: /429/,
  },
  {
    name: 'tables restricted to one seller',
    cuts: [
      {
        file: 'lib/listing/table-query.ts',
        from: '[sql`text.seller = \u0024{number}::int`]',
        to: '[sql`\u0024{number}::int > 0`]',
      },
    ],
    test: { file: 'lib/listing/list-table.test.ts', title: 'another seller' },
    says: /to match object/,
  },
  {
    name: 'searches restricted to one seller',
    cuts: [
      {
        file: 'lib/listing/search-matches.ts',
        from: '[sql`text.seller = \u0024{number}`]',
        to: '[sql`\u0024{number} > 0`]',
      },
    ],
    test: { file: 'lib/listing/search-records.test.ts', title: 'in the same partition' },
    says: /to match object/,
  },
  {
    name: 'connections reserved for the check-in page',
    cuts: [{ file: 'lib/accounts/door-lookups.ts', from: "database('doorAuth')", to: 'database()' }],
    test: { file: 'app/door/scan/route.test.ts', title: 'works while every connection' },
    says: /expected 503 to be 200/,
  },
  {
    name: 'content security policy',
    cuts: [{ file: 'proxy.ts', from: "response.headers.set('Content-Security-Policy', policy)", to: '' }],
    test: { file: 'e2e/dashboard/headers.spec.ts', title: 'pages have a content security policy' },
    says: /frame-ancestors/,
    built: true,
  },
  {
    name: 'origin check for script requests',
    cuts: [
      {
        file: 'app/door/door-request.ts',
        from: "request.method !== 'GET' && !isSameOrigin(request.headers)",
        to: "request.method === 'PUT' && !isSameOrigin(request.headers)",
      },
    ],
    test: { file: 'e2e/dashboard/roles.spec.ts', title: 'state-changing requests from another origin' },
    says: /from \{/,
    built: true,
  },
  {
    name: 'formulas neutralized in exports',
    cuts: [{ file: 'lib/listing/csv-export.ts', from: 'string: escapeFormulas', to: 'string: String' }],
    test: { file: 'lib/listing/csv-export.test.ts', title: 'formula' },
    says: /to match|'=/,
  },
  {
    name: 'backups readable only by their owner',
    cuts: [
      { file: 'lib/core/private-file.ts', from: "\u0024{path}.\u0024{randomBytes(6).toString('hex')}.draft", to: '\u0024{path}.draft' },
      { file: 'lib/core/private-file.ts', from: "open(draft, 'wx', 0o600)", to: "open(draft, 'w', 0o600)" },
    ],
    test: {
      file: 'lib/backup/backup.test.ts',
      title: 'writes a file that only its owner can read, even if a file or symbolic link already exists at its path',
    },
    says: /'untouched'/,
  },
  {
    name: 'exports and backups are not written to another user’s pipe',
    cuts: [{ file: 'lib/core/private-file.ts', from: 'if (found.uid !== 0 && found.uid !== process.geteuid?.()) return false', to: '' }],
    test: { file: 'lib/core/private-file.test.ts', title: 'rejects another user’s link' },
    says: /instead of rejecting/,
  },
  {
    name: 'one pull of a list at a time',
    cuts: [
      {
        file: 'lib/sync/pull/progress.ts',
        from: 'withFileLock(`\u0024{file}.lock`, () => pull(progress), LOCK_WAIT_MS)',
        to: 'pull(progress)',
      },
    ],
    test: {
      file: 'lib/sync/pull/pull.test.ts',
      title: 'fails with instructions while another pull copies the same list for the same seller',
    },
    says: /3 read, 3 written/,
  },
]
