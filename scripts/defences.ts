/** The defences against faults, floods and people, each with the cut that takes it out and the test that fails then. */

export type Cut = { file: string; from: string; to: string }

export type Defence = {
  name: string
  cuts: Cut[]
  /** A file of tests, and what the title of the one that fails begins with. */
  test: { file: string; title: string }
  /** What its failure says: another failure proves nothing. */
  says: RegExp
  /** The test sees it only as often as `npm run suite -- faults` tries. */
  full?: true
  /** It stands in a page, which has to be built again. */
  built?: true
}

const OVERLOAD = 'e2e/faults/overload.fault.ts'
const MATRIX = 'e2e/matrix.spec.ts'

export const DEFENCES: Defence[] = [
  {
    name: 'a pool whose driver broke is replaced',
    cuts: [
      { file: 'db/client.ts', from: 'const replace = () => mine === client && rebuild()', to: 'const replace = () => {}' },
      { file: 'server.ts', from: 'if (isDriverFault(error)) rebuildPools()', to: 'if (isDriverFault(error)) return' },
    ],
    test: { file: 'e2e/faults/database.fault.ts', title: 'every connection is killed' },
    says: /after the service was due/,
    full: true,
  },
  {
    name: 'a bounded wait for a connection',
    cuts: [{ file: 'db/client.ts', from: 'const ACQUIRE_MS = 750', to: 'const ACQUIRE_MS = 60_000' }],
    test: { file: 'db/client.test.ts', title: 'rejects within the time limit' },
    says: /promise resolved/,
  },
  {
    name: 'the lock on a ticket’s row',
    cuts: [{ file: 'lib/admission/statements.ts', from: '  for no key update`', to: '`' }],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'decides on the committed state' },
    says: /admitted|refused/,
  },
  {
    name: 'one connection for all scans of a ticket',
    cuts: [{ file: 'lib/core/keyed-mutex.ts', from: 'lock.mutex.run(work)', to: 'work()' }],
    test: { file: OVERLOAD, title: 'a locked ticket gets 503s' },
    says: /refused in time|"status": 503/,
  },
  {
    name: 'first answers kept by their idempotency keys',
    cuts: [{ file: 'lib/admission/statements.ts', from: 'isKeyed ? STORED_ANSWER :', to: 'isKeyed && false ? STORED_ANSWER :' }],
    test: { file: 'e2e/faults/cut.fault.ts', title: 'a retry gets the first response again' },
    says: /500: |was never answered|a replay is not/,
  },
  {
    name: 'connections of the doors’ own',
    cuts: [
      {
        file: 'db/pools.ts',
        from: 'holder.checkoutDeskPools?.get(name) ?? database()',
        to: "holder.checkoutDeskPools?.get('general') ?? database()",
      },
    ],
    test: { file: OVERLOAD, title: 'when every connection is busy' },
    says: /401/,
  },
  {
    name: 'lists are shed at once',
    cuts: [{ file: 'lib/http/load-shedding.ts', from: 'const MAX_ACCEPTED = 48', to: 'const MAX_ACCEPTED = 100_000' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'accepts 48 of a hundred' },
    says: /to have a length of 48/,
  },
  {
    name: 'lists take turns at the database',
    cuts: [{ file: 'lib/http/load-shedding.ts', from: 'limit: LIMIT', to: 'limit: 100_000' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'accepts 48 of a hundred' },
    says: /expected \d+ to be \d/,
  },
  {
    name: 'time-outs of slow clients',
    cuts: [
      { file: 'server.ts', from: 'headersTimeout: HEADERS_MS', to: 'headersTimeout: 0' },
      { file: 'server.ts', from: 'requestTimeout: REQUEST_MS', to: 'requestTimeout: 0' },
    ],
    test: { file: OVERLOAD, title: '200 clients' },
    says: /still open/,
  },
  {
    name: 'what runs is finished on SIGTERM',
    cuts: [{ file: 'server.ts', from: 'await drain(server)', to: 'server.closeAllConnections()' }],
    test: { file: 'e2e/faults/process.fault.ts', title: 'SIGTERM' },
    says: /what was sent before is answered/,
  },
  {
    name: 'readiness asks the database',
    cuts: [
      {
        file: 'lib/http/health-routes.ts',
        from: '  try {\n    return (await isMigrated',
        to: '  return\n  try {\n    return (await isMigrated',
      },
    ],
    test: { file: OVERLOAD, title: 'when every connection is busy' },
    says: /ready of/,
  },
  {
    name: 'a server’s user who owns nothing',
    cuts: [{ file: 'lib/core/connect.ts', from: 'onChange), ensureServerUser)', to: 'onChange))' }],
    test: { file: 'e2e/process.spec.ts', title: 'without configuration' },
    says: /desk_app/,
  },
  {
    name: 'that user’s rights',
    cuts: [{ file: 'db/server-user.ts', from: 'in role desk_server`', to: 'in role desk_server superuser`' }],
    test: { file: 'db/server-user.test.ts', title: 'cannot drop' },
    says: /drop table/,
  },
  {
    name: 'unknown codes are limited apart',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: '  if (!held) return\n', to: '  if (Date.now()) return\n' }],
    test: { file: 'e2e/rate-limit.spec.ts', title: '1,000 unknown codes' },
    says: /toBeLessThanOrEqual|429/,
  },
  {
    name: 'a key’s scopes',
    cuts: [{ file: 'lib/http/authenticate.ts', from: 'if (scope && !hasScope(scopes, scope))', to: 'if (scopes.length === 0)' }],
    test: { file: MATRIX, title: 'no route, parameter or scope' },
    says: /scope_missing/,
  },
  {
    name: 'every statement names the seller: a ticket’s lock',
    cuts: [
      {
        file: 'lib/admission/statements.ts',
        from: 'isTicket[by]}\n  for no key update',
        to: 'isTicket[by]} or \u0024{isTicket[by]}\n  for no key update',
      },
    ],
    test: { file: MATRIX, title: 'no route, parameter or scope' },
    says: /ticket_not_found/,
  },
  {
    name: 'a revoked key fails at its next request',
    cuts: [{ file: 'lib/accounts/verify-key.ts', from: 'revokedAt} is null', to: 'id} is not null' }],
    test: { file: MATRIX, title: 'unknown, revoked and expired keys' },
    says: /key_invalid/,
  },
  {
    name: 'wrong passwords make the next try wait',
    cuts: [{ file: 'lib/accounts/sign-in-throttle.ts', from: 'return Math.max(0, row?.wait ?? 0)', to: 'return 0' }],
    test: { file: 'lib/accounts/team.test.ts', title: 'is throttled' },
    says: /promise resolved/,
  },
  {
    name: 'a session that was ended is none',
    cuts: [{ file: 'lib/accounts/sessions.ts', from: 'endedAt} is null and \u0024{sessions.expiresAt}', to: 'expiresAt}' }],
    test: { file: 'lib/accounts/team.test.ts', title: 'ends the sessions' },
    says: /to be undefined/,
  },
  {
    name: 'a client secret needs its scope',
    cuts: [{ file: 'lib/http/list-route.ts', from: "hasScope(principal.scopes, 'secrets:read')", to: 'true' }],
    test: { file: 'e2e/contract/lists.spec.ts', title: 'return secrets only' },
    says: /not\.toContain/,
  },
  {
    name: 'requests of a key are counted',
    cuts: [{ file: 'lib/http/rate-limit.ts', from: 'if (limit === 0) return {}', to: 'if (limit >= 0) return {}' }],
    test: { file: 'e2e/process.spec.ts', title: 'a key’s requests per minute' },
    says: /\+ +null/,
  },
  {
    name: 'servers count a key’s requests together',
    cuts: [
      { file: 'lib/http/rate-limit.ts', from: "if (env().RATE_LIMIT_STORE === 'memory') return memory", to: 'if (memory) return memory' },
    ],
    test: { file: 'e2e/rate-limit.spec.ts', title: 'two servers' },
    says: /- +429/,
  },
  {
    name: 'an event is Stripe’s where its signature says so',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: 'Stripe.webhooks.constructEvent(payload, signature, secret, TOLERANCE_SECONDS)',
        to: 'JSON.parse(payload)',
      },
    ],
    test: { file: 'e2e/ingest.spec.ts', title: 'unsigned, foreign and old deliveries' },
    says: /\+ +200/,
  },
  {
    name: 'a log line names the route, not what was asked',
    cuts: [{ file: 'lib/http/observe.ts', from: "pageRoute(incoming.url ?? '/')", to: "(pageRoute, incoming.url ?? '/')" }],
    test: { file: 'e2e/canaries.spec.ts', title: 'no log, metric or error' },
    says: / in the log/,
  },
  {
    name: 'a body is read no further than it may be long',
    cuts: [{ file: 'lib/http/body.ts', from: 'export const MAX_BODY_BYTES = 64 * 1024', to: 'export const MAX_BODY_BYTES = 2 ** 40' }],
    test: { file: 'e2e/nasty.spec.ts', title: '16 MB' },
    says: /413/,
  },
  {
    name: 'a batch of an import is one transaction',
    cuts: [
      {
        file: 'lib/sync/import/import.ts',
        from: 'database().transaction((connection) => write(',
        to: 'database().use((connection) => write(',
      },
    ],
    test: { file: 'lib/sync/import/import.test.ts', title: 'leaves only complete batches' },
    says: /entries/,
  },
  {
    name: 'every refused line is told',
    cuts: [
      {
        file: 'lib/sync/import/import.ts',
        from: 'await onReject({ line, path, reason, text })',
        to: 'if (path) await onReject({ line, path, reason, text })',
      },
    ],
    test: { file: 'e2e/faults/files.fault.ts', title: '60 damaged files' },
    says: /rejected, \d+ reported/,
  },
  {
    name: 'connections of the door’s page',
    cuts: [{ file: 'lib/accounts/sessions.ts', from: "atDoor ? getPool('doorKeys') : database()", to: 'atDoor ? database() : database()' }],
    test: { file: OVERLOAD, title: 'the check-in page works while' },
    says: /"status": 503/,
    built: true,
  },
  {
    name: 'the content policy',
    cuts: [{ file: 'proxy.ts', from: "response.headers.set('Content-Security-Policy', policy)", to: '' }],
    test: { file: 'e2e/dashboard/headers.spec.ts', title: 'every page has a content security policy' },
    says: /frame-ancestors/,
    built: true,
  },
  {
    name: 'changes come from our own pages',
    cuts: [{ file: 'app/same-origin.ts', from: '  const site =', to: "  if (headers.has('cookie')) return true\n  const site =" }],
    test: { file: 'e2e/dashboard/roles.spec.ts', title: 'requests from another site' },
    says: /from \{/,
    built: true,
  },
  {
    name: 'formulas are neutral in exports',
    cuts: [{ file: 'lib/listing/csv-export.ts', from: 'escape_formulas: true', to: 'escape_formulas: false' }],
    test: { file: 'lib/listing/csv-export.test.ts', title: '' },
    says: /=HYPERLINK|'=/,
  },
]
