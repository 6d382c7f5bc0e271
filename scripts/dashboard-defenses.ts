/** Defenses against slow statements and long computations in the dashboard. */
import type { Defense } from './defenses'

export const DASHBOARD_DEFENSES: Defense[] = [
  {
    name: 'long computations run in slices',
    cuts: [{ file: 'lib/core/slices.ts', from: 'const SLICE_MS = 4', to: 'const SLICE_MS = 10_000' }],
    test: { file: 'lib/core/slices.test.ts', title: 'yields to the event loop after each slice' },
    says: /expected 5 to be 1/,
  },
  {
    name: 'one slice per iteration of the event loop',
    cuts: [{ file: 'lib/core/slices.ts', from: 'if (waiting.push(resolve) === 1) setImmediate(runNext)', to: 'setImmediate(resolve)' }],
    test: { file: 'lib/core/slices.test.ts', title: 'one slice per iteration' },
    says: /expected 10 to be 1/,
  },
  {
    name: 'limit on concurrent exports',
    cuts: [{ file: 'lib/listing/export-throttle.ts', from: 'const MAX_OPEN_PER_SELLER = 10', to: 'const MAX_OPEN_PER_SELLER = 100' }],
    test: { file: 'lib/listing/csv-export.test.ts', title: 'runs ten exports per seller' },
    says: /promise resolved/,
  },
  {
    name: 'limit on concurrent reports',
    cuts: [{ file: 'lib/reports/report-throttle.ts', from: 'const LIMIT = 2', to: 'const LIMIT = 100' }],
    test: { file: 'lib/reports/report-throttle.test.ts', title: 'runs two statements' },
    says: /to have a length of 2/,
  },
  {
    name: 'limit on concurrent reports per seller',
    cuts: [
      {
        file: 'db/semaphore.ts',
        from: 'const release = await seller.acquire(owner)',
        to: 'const release = () => undefined',
      },
    ],
    test: { file: 'lib/reports/report-throttle.test.ts', title: 'another seller' },
    says: /queue_full/,
  },
  {
    name: 'overview sums do not block writers',
    cuts: [
      {
        file: 'db/migrations/0041_count_slots.sql',
        from: "desk_count_slot\\(seller(_id)?, TG_TABLE_NAME\\)', 'desk_slot()'",
        to: "desk_count_slot\\(seller(_id)?, TG_TABLE_NAME\\)', '0'",
      },
    ],
    test: { file: 'lib/reports/rollups.test.ts', title: 'without waiting for a writer' },
    says: /lock timeout/,
  },
  {
    name: 'repair of wrong overview sums',
    cuts: [{ file: 'lib/reports/recount-sums.ts', from: 'shouldRepair ? repairCte', to: 'shouldRepair && false ? repairCte' }],
    test: { file: 'lib/reports/rollups.test.ts', title: 'finds changes that bypassed the triggers, and repairs them once' },
    says: /to deeply equal/,
  },
  {
    name: 'time limit for counts and suggestions',
    cuts: [{ file: 'lib/listing/within-time.ts', from: 'statement_timeout: String(Math.max(1, Math.round(ms)))', to: "work_mem: '8MB'" }],
    test: {
      file: 'lib/listing/within-time.test.ts',
      title: 'returns undefined for a statement that exceeds its limit, and the results of other statements',
    },
    says: /to deeply equal/,
  },
  {
    name: 'saved views counted at most once a minute',
    cuts: [
      { file: 'lib/reports/count-views.ts', from: 'cache.get(cacheKey(sellerId, view))', to: 'undefined' },
      { file: 'lib/reports/count-views.ts', from: 'let count = cache.get(key)', to: 'let count: Count | undefined' },
    ],
    test: { file: 'lib/reports/count-views.test.ts', title: 'reads a count once' },
    says: /to have a length of 2/,
  },
  {
    name: 'limit on the total time for counting saved views',
    cuts: [{ file: 'lib/reports/count-views.ts', from: 'if (performance.now() > until) continue', to: '' }],
    test: { file: 'lib/reports/count-views.test.ts', title: 'stops counting views when the time limit has passed' },
    says: /to deeply equal/,
  },
  {
    name: 'deleted views and notes restored only by the user who deleted them',
    cuts: [
      {
        file: 'lib/accounts/deleted-copy.ts',
        from: "['deleted', kind, sellerId, userId]",
        to: "['deleted', kind, sellerId && userId && '']",
      },
    ],
    test: { file: 'lib/accounts/deleted-copy.test.ts', title: 'is not restored by anyone else' },
    says: /to be undefined/,
  },
  {
    name: 'views and notes not restored after an erasure',
    cuts: [{ file: 'lib/accounts/deleted-copy.ts', from: 'and not exists (select', to: 'or exists (select' }],
    test: { file: 'lib/accounts/deleted-copy.test.ts', title: 'is not restored if a customer has been erased' },
    says: /to be undefined/,
  },
  {
    name: 'a form keeps its input during an outage',
    cuts: [{ file: 'app/send-once.ts', from: 'OUTAGE_STATUSES.has(response.status)', to: 'false' }],
    test: { file: 'app/send-once.test.ts', title: 'rejects an action with an AbortError in an outage' },
    says: /AbortError/,
  },
]
