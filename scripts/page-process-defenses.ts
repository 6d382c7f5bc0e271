/** Defenses for the process that renders pages. */
import type { Defense } from './defenses'

export const PAGE_PROCESS_DEFENSES: Defense[] = [
  {
    name: 'restart of the process that renders pages',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'if (!hasStarted || stopping', to: 'if (hasStarted || stopping' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'returns a 503 while' },
    says: /503/,
  },
  {
    name: 'restart of a process that failed to start',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'end({ error })', to: 'fail(error)' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'retries with increasing delays if the process cannot be started' },
    says: /503/,
  },
  {
    name: 'restart of an unresponsive process',
    cuts: [{ file: 'lib/http/page-process.ts', from: "target.kill('SIGKILL')", to: 'void target' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'kills and restarts' },
    says: /timed out/,
  },
  {
    name: 'limit on requests waiting for pages',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'if (waiting >= (path', to: 'if (waiting < 0 && (path' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'returns a 503 immediately' },
    says: /503/,
  },
  {
    name: 'no page for a client that has disconnected',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'if (outgoing.destroyed) return\n    if (!isReady)', to: 'if (!isReady)' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'does not pass on the request of a client that has disconnected' },
    says: /expected 1 to be/,
  },
  {
    name: 'no stream for a client that has disconnected',
    cuts: [{ file: 'lib/http/door-routes.ts', from: 'if (outgoing.destroyed)', to: 'if (!outgoing)' }],
    test: { file: 'lib/http/door-routes.test.ts', title: 'cancels a stream whose client disconnects before the handler returns' },
    says: /to be called at least once/,
  },
  {
    name: 'pages are rendered for the path that the throttles checked',
    cuts: [
      {
        file: 'lib/http/page-process.ts',
        from: 'const path = getTarget(incoming)',
        to: 'const path = incoming.url ?? getTarget(incoming)',
      },
    ],
    test: { file: 'lib/http/page-process.test.ts', title: 'forwards an absolute-form target' },
    says: /to contain/,
  },
  {
    name: 'heap limit for pages and exports',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'execArgv: [...execArgv, ', to: 'execArgv: [...execArgv.slice(1), ' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'limits the heap' },
    says: /max-old-space-size=300/,
  },
  {
    name: 'backpressure for pages and exports',
    cuts: [
      {
        file: 'lib/http/page-process.ts',
        from: 'pipeline(response, outgoing, () => {})',
        to: "pipeline && response.on('data', (chunk) => outgoing.write(chunk)).on('end', () => outgoing.end())",
      },
    ],
    test: { file: 'lib/http/page-process.test.ts', title: 'reads a response only as fast' },
    says: /AssertionError|timed out/,
  },
  {
    name: 'API key changes by pages take effect immediately',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'applyKeyChange(message.change)', to: 'void applyKeyChange' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'updates the API key cache when the page process' },
    says: /called 2 times|AssertionError/,
  },
  {
    name: 'last known metrics of an unresponsive process',
    cuts: [{ file: 'lib/http/page-process.ts', from: 'catch(() => lastMetrics)', to: 'catch(() => [])' }],
    test: { file: 'lib/http/page-process.test.ts', title: 'includes the page process’s metrics' },
    says: /desk_pages_total/,
  },
  {
    name: '503 for pages during an outage',
    cuts: [{ file: 'lib/http/page-outages.ts', from: 'status === 500 && request.sawOutage', to: 'false' }],
    test: { file: 'e2e/error-responses.spec.ts', title: 'during a database outage' },
    says: /\+ +500/,
  },
  {
    name: 'no 503 for a server action that explains an outage',
    cuts: [{ file: 'lib/http/page-outages.ts', from: 'subscribe(EXPLAINED_OUTAGES, setOutage(false))', to: 'void EXPLAINED_OUTAGES' }],
    test: { file: 'lib/http/page-outages.test.ts', title: 'keeps the status of a server action that shows a message' },
    says: /503/,
  },
  {
    name: 'one JSON object per log line',
    cuts: [{ file: 'page-server.ts', from: 'redirectConsole()', to: 'void redirectConsole' }],
    test: { file: 'e2e/log-and-metrics.spec.ts', title: 'each request is one log line' },
    says: /JSON/,
  },
  {
    name: 'booking pages: limit on tickets',
    cuts: [
      {
        file: 'lib/admission/booking-tickets.ts',
        from: 'order by created_at, id limit \u0024{sql.raw(String(MAX_BOOKING_TICKETS + 1))}',
        to: 'order by created_at, id',
      },
    ],
    test: { file: 'lib/admission/booking-tickets.test.ts', title: 'returns only the 1,001 oldest tickets of a booking' },
    says: /1002/,
  },
]
