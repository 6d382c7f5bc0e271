/** Defenses in front of Next.js. */
import type { Defense } from './defenses'

export const FRONT_DEFENSES: Defense[] = [
  {
    name: 'time in which the process is blocked does not count as waiting',
    cuts: [{ file: 'db/timer.ts', from: 'const MAX_LATENESS = 0.1', to: 'const MAX_LATENESS = 100' }],
    test: { file: 'db/semaphore.test.ts', title: 'does not count time during which the event loop was blocked' },
    says: /stayed in use for at least 100 ms/,
  },
  {
    name: 'time in which the process is blocked does not count as a database stall',
    cuts: [
      {
        file: 'db/client.ts',
        from: 'startTimer(ms,',
        to: '((ms: number, end: () => void) => clearTimeout.bind(null, setTimeout(end, ms)))(ms,',
      },
    ],
    test: { file: 'db/client.test.ts', title: 'does not count time during which the process was blocked' },
    says: /did not respond within 700 ms/,
  },
  {
    name: 'size limit for bodies sent to pages and sign-in',
    cuts: [
      {
        file: 'lib/http/page-handler.ts',
        from: 'const received = await receiveBody(incoming, MAX_VISITOR_BODY_BYTES)',
        to: 'const received = (MAX_VISITOR_BODY_BYTES, incoming)',
      },
    ],
    test: { file: 'e2e/server.spec.ts', title: 'a body over 16 KiB for a page' },
    says: /No response|413|JSON/,
  },
  {
    name: 'smaller size limit for bodies from visitors without a session',
    cuts: [
      {
        file: 'lib/http/page-handler.ts',
        from: 'const received = await receiveBody(incoming, MAX_VISITOR_BODY_BYTES)',
        to: 'const received = await receiveBody(incoming, MAX_BODY_BYTES)',
      },
    ],
    test: { file: 'lib/http/page-handler.test.ts', title: 'redirects form submissions without a session' },
    says: /413/,
  },
  {
    name: 'server actions only with a session',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'else if (session && ', to: 'else if (!session && ' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'redirects form submissions without a session' },
    says: /303/,
  },
  {
    name: 'cached pages rendered before the first request',
    cuts: [{ file: 'lib/http/cached-pages.ts', from: 'of [...CACHED, NOT_FOUND]) await', to: 'of [...CACHED, NOT_FOUND].slice(9)) await' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'renders the cached pages once, before' },
    says: /\/no-such-page/,
  },
  {
    name: 'cached page for unknown paths, including those with a dot',
    cuts: [{ file: 'lib/http/cached-pages.ts', from: 'files.has(path) ?', to: "(files, path.includes('.')) ?" }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'renders nothing for unknown paths' },
    says: /wp-login/,
  },
  {
    name: 'shared limit on cached pages for all visitors',
    cuts: [
      {
        file: 'lib/http/cached-pages.ts',
        from: 'await queue.removeTokens(cost,',
        to: 'await queue.getTokensRemaining(String(cost)); void (',
      },
    ],
    test: { file: 'lib/http/page-handler.test.ts', title: 'sends at most 20 cached pages' },
    says: /expected 0 to be greater than 19/,
  },
  {
    name: 'large cached pages count as several responses',
    cuts: [{ file: 'lib/http/cached-pages.ts', from: 'Math.ceil(Buffer.byteLength(payload) / RESPONSE_BYTES)', to: '1' }],
    test: { file: 'lib/http/cached-pages.test.ts', title: 'counts a large page as several' },
    says: /to be greater than 1/,
  },
  {
    name: 'limit on cached pages for signed-in users',
    cuts: [
      {
        file: 'lib/http/cached-pages.ts',
        from: "await waitForSlot(path, incoming.method === 'HEAD' ? 1 : found.cost, sellerId)",
        to: "if (sellerId === undefined) await waitForSlot(path, incoming.method === 'HEAD' ? 1 : found.cost, sellerId)",
      },
    ],
    test: { file: 'lib/http/cached-pages.test.ts', title: 'counts a large page as several responses' },
    says: /to be greater than 1/,
  },
  {
    name: 'time limit for reading a cached page',
    cuts: [{ file: 'lib/http/cached-pages.ts', from: 'const READ_TIMEOUT_MS = 60_000', to: 'const READ_TIMEOUT_MS = 60_000_000' }],
    test: { file: 'lib/http/cached-pages.test.ts', title: 'takes longer than a minute to read a page' },
    says: /expected false to be true/,
  },
  {
    name: 'limit on concurrent dashboard pages per seller',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'perSeller: { limit: 2, queue: 40 }', to: 'perSeller: { limit: 3, queue: 40 }' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'renders two dashboard pages of a seller at a time' },
    says: /AssertionError/,
  },
  {
    name: 'limit on the queue for dashboard pages',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'perSeller: { limit: 2, queue: 40 }', to: 'perSeller: { limit: 2, queue: 4000 }' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'reports that the server is busy' },
    says: /Matcher did not succeed in time/,
  },
  {
    name: 'limit on concurrent check-in pages',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'if (isDoorRoute(incoming)) return', to: 'if (isDoor(incoming)) return' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'renders the check-in page for 50 devices of a seller' },
    says: /Matcher did not succeed in time/,
  },
  {
    name: 'limit on concurrent check-in requests per device',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'perOwner: { limit: 4,', to: 'perOwner: { limit: 1_000,' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'handles four requests of one device to the check-in routes at a time' },
    says: /to be less than 5/,
  },
  {
    name: 'limit on waiting check-in pages per device',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'queuePerOwner: 10', to: 'queuePerOwner: 100' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'lets ten check-in pages of one device wait' },
    says: /Matcher did not succeed in time/,
  },
  {
    name: 'limit on lists that clients have not yet read',
    cuts: [{ file: 'lib/http/handler.ts', from: 'if (isRead) assertFewUnread(', to: 'if (!isRead) assertFewUnread(' }],
    test: { file: 'lib/http/unread-responses.test.ts', title: 'while 16 MiB of responses are unread' },
    says: /503/,
  },
  {
    name: 'buffers reused only after their contents are sent',
    cuts: [
      {
        file: 'lib/http/exchange.ts',
        from: 'outgoing.end(body, () => reuseMemory(body))',
        to: 'void (outgoing.end(body), reuseMemory(body))',
      },
    ],
    test: { file: 'lib/http/list-body.test.ts', title: 'is not reused while the client has not read it' },
    says: /expected false to be true/,
  },
  {
    name: 'responses queued behind another are closed with their connection',
    cuts: [{ file: 'lib/http/connections.ts', from: 'responses.forEach(closeWaiting)', to: 'void closeWaiting' }],
    test: { file: 'lib/http/unread-responses.test.ts', title: 'no longer counts responses that wait for an earlier one' },
    says: /have not been read/,
  },
  {
    name: 'connections are closed instead of waiting for a destroyed response',
    cuts: [{ file: 'lib/http/connections.ts', from: 'if (response.destroyed) socket.destroy()', to: 'void socket' }],
    test: { file: 'lib/http/unread-responses.test.ts', title: 'destroyed while it waited' },
    says: /expected false to be true/,
  },
  {
    name: 'pending responses are not cut off during shutdown',
    cuts: [
      {
        file: 'lib/http/close-server.ts',
        from: 'unsent: { destroy?: unknown }[] = listUnsent()',
        to: 'unsent: { destroy?: unknown }[] = listUnsent().slice(0, 0)',
      },
    ],
    test: { file: 'lib/http/close-server.test.ts', title: 'sends the whole response to a client that reads slowly' },
    says: /to be greater than 16777216/,
  },
  {
    name: 'pause between pages for visitors without a session',
    cuts: [{ file: 'lib/http/page-handler.ts', from: 'const VISITOR_PAUSE_MS = 30', to: 'const VISITOR_PAUSE_MS = 0' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'leaves time for check-in' },
    says: /greater than/,
  },
  {
    name: 'limit on waiting requests per IP address',
    cuts: [{ file: 'lib/http/delay-refusal.ts', from: 'const MAX_PER_ADDRESS = 20', to: 'const MAX_PER_ADDRESS = 2000' }],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'does not let more than 20 requests from one address wait' },
    says: /toBeUndefined|to be undefined/,
  },
  {
    name: 'delay for frequent refusals to one address',
    cuts: [{ file: 'lib/http/delay-refusal.ts', from: 'const MAX_REFUSALS_PER_ADDRESS = 500', to: 'const MAX_REFUSALS_PER_ADDRESS = 20' }],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'delays at least 100 of 150 concurrent refusals' },
    says: /expected 20 to be greater/,
  },
  {
    name: 'delay for responses that need no API key',
    cuts: [{ file: 'lib/http/methods.ts', from: "const refusal = 'invalidKey' as const", to: 'const refusal = undefined' }],
    test: { file: 'lib/http/methods.test.ts', title: 'lets the server delay responses to OPTIONS' },
    says: /204, undefined/,
  },
  {
    name: 'delay for frequent health checks',
    cuts: [{ file: 'lib/http/handler.ts', from: '...headers }, body, refusal }', to: '...headers }, body }' }],
    test: { file: 'lib/http/methods.test.ts', title: 'lets the server delay responses to health checks' },
    says: /200, undefined/,
  },
  {
    name: 'limit on requests for the OpenAPI document per IP address',
    cuts: [{ file: 'lib/http/openapi/route.ts', from: 'const PER_MINUTE = 60', to: 'const PER_MINUTE = 100' }],
    test: { file: 'lib/http/methods.test.ts', title: 'sends the OpenAPI document to an address 60 times per minute' },
    says: /200, undefined/,
  },
  {
    name: 'one query for concurrent readiness checks',
    cuts: [{ file: 'lib/http/health-routes.ts', from: 'running ??= ', to: 'running = ' }],
    test: { file: 'lib/http/health-routes.test.ts', title: 'concurrent requests share one query' },
    says: /expected 20 to be 1/,
  },
  {
    name: 'delay for frequent refusals',
    cuts: [{ file: 'lib/http/delay-refusal.ts', from: 'await pause(DELAY_MS + ', to: 'await pause(DELAY_MS / 1000 + 0 * ' }],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'delays refusals by at least a second' },
    says: /to be 10/,
  },
  {
    name: 'refused uploads are not read',
    cuts: [
      { file: 'lib/http/connections.ts', from: 'process.nextTick(() => incoming.socket.pause())', to: '' },
      { file: 'lib/http/connections.ts', from: 'incoming._read = () => {}', to: 'void incoming._read' },
      { file: 'lib/http/connections.ts', from: 'incoming.push = () => false', to: 'void incoming.push' },
      { file: 'lib/http/connections.ts', from: '  incoming.read()\n', to: '' },
    ],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'a client that sends 20 MB' },
    says: /to be less than/,
  },
  {
    name: 'refused uploads take no memory while the refusal is delayed',
    cuts: [{ file: 'lib/http/connections.ts', from: '  incoming.read()\n', to: '' }],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'stops reading a long upload that is abandoned' },
    says: /to be \+0|to be 0/,
  },
  {
    name: 'refused uploads that arrive with their headers take no memory',
    cuts: [{ file: 'lib/http/connections.ts', from: 'incoming.push = () => false', to: 'void incoming.push' }],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'stops reading a long upload that is abandoned' },
    says: /to be \+0|to be 0/,
  },
  {
    name: 'delay for refused uploads',
    cuts: [
      {
        file: 'lib/http/delay-refusal.ts',
        from: 'createBudget(IMMEDIATE_UPLOADS_PER_SECOND)',
        to: 'createBudget(IMMEDIATE_PER_SECOND + 0 * IMMEDIATE_UPLOADS_PER_SECOND)',
      },
    ],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'delays refusals by at least a second' },
    says: /to be 55/,
  },
  {
    name: 'connections are closed after refused uploads',
    cuts: [
      {
        file: 'lib/http/connections.ts',
        from: 'setTimeout(() => connection.destroy(), LINGER_MS)',
        to: 'setTimeout(() => connection.writable, LINGER_MS)',
      },
    ],
    test: { file: 'lib/http/refused-uploads.test.ts', title: 'neither sends the rest nor closes the connection' },
    says: /expected false to be true/,
  },
  {
    name: 'unused next-auth routes are blocked',
    cuts: [
      {
        file: 'lib/http/refuse-request.ts',
        from: "if (!path.startsWith('/api/auth/')) return PAGE_METHODS",
        to: "if (path.startsWith('/')) return PAGE_METHODS",
      },
    ],
    test: { file: 'e2e/server.spec.ts', title: 'only the next-auth routes' },
    says: /404|JSON/,
  },
  {
    name: 'dot segments in paths are rejected',
    cuts: [{ file: 'lib/http/refuse-request.ts', from: 'if (DOT_SEGMENT.test(path) || ', to: 'if ((DOT_SEGMENT.test(path) && false) || ' }],
    test: { file: 'lib/http/refuse-request.test.ts', title: 'rejects the dot segments' },
    says: /expected undefined to be 'route_not_found'/,
  },
  {
    name: 'no image optimizer',
    cuts: [{ file: 'lib/http/refuse-request.ts', from: '|| IMAGE_OPTIMIZER.test(path)', to: '|| (IMAGE_OPTIMIZER.test(path) && false)' }],
    test: { file: 'lib/http/refuse-request.test.ts', title: 'because no page uses the image optimizer' },
    says: /expected undefined to be 'route_not_found'/,
  },
  {
    name: 'one Host header',
    cuts: [{ file: 'lib/http/refuse-request.ts', from: "[getHeader(incoming, 'host'), ", to: '[getHeader && (headers.host ?? null), ' }],
    test: { file: 'lib/http/refuse-request.test.ts', title: 'rejects a repeated Host' },
    says: /expected undefined to be 'path_invalid'/,
  },
  {
    name: 'length limit for the Host header',
    cuts: [{ file: 'lib/http/exchange.ts', from: 'host.length <= MAX_HOST && ', to: 'MAX_HOST > 0 && ' }],
    test: { file: 'lib/http/refuse-request.test.ts', title: 'rejects a Host header that is longer than a domain name with a port' },
    says: /expected undefined to be 'path_invalid'/,
  },
  {
    name: 'only build files are exempt from the limit on pages',
    cuts: [
      {
        file: 'lib/http/page-handler.ts',
        from: 'BUILD_FILE.test(getPath(incoming))',
        to: "BUILD_FILE && getPath(incoming).startsWith('/_next/static')",
      },
    ],
    test: { file: 'lib/http/page-handler.test.ts', title: 'limits requests whose path only starts like that of a build file' },
    says: /429/,
  },
  {
    name: 'limit on pages for ended sessions',
    cuts: [
      {
        file: 'lib/http/page-handler.ts',
        from: 'await findSessionUser(sessionId, atDoor)',
        to: "(findSessionUser, atDoor, { sellerId: 'seller' })",
      },
    ],
    test: {
      file: 'lib/http/page-handler.test.ts',
      title: 'limits a user whose session has ended like a visitor, no matter how often the token is renewed',
    },
    says: /429/,
  },
  {
    name: 'security headers on every path outside the API',
    cuts: [{ file: 'proxy.ts', from: '(?:api|v1)(?:/|$)|_next/static/', to: 'api/|v1|_next/static/' }],
    test: { file: 'app/proxy.test.ts', title: 'sets the security headers' },
    says: /expected false to be true/,
  },
  {
    name: 'Host check for pages',
    cuts: [{ file: 'lib/http/refuse-request.ts', from: 'host === null || isHost(String(host))', to: 'host !== isHost' }],
    test: { file: 'e2e/server.spec.ts', title: 'an invalid Host gets a 400' },
    says: /400|JSON/,
  },
  {
    name: 'origin check for forms',
    cuts: [
      {
        file: 'lib/http/refuse-request.ts',
        from: "if (method === 'POST' && isSameOrigin(",
        to: "if (method === 'PUT' && isSameOrigin(",
      },
    ],
    test: { file: 'e2e/dashboard/headers.spec.ts', title: 'a form works behind a proxy' },
    says: /403/,
  },
]
