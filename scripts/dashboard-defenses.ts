/** The defenses against slow statements of the dashboard; `without-defenses.ts` joins all lists. */
import type { Defense } from './defenses'

export const DASHBOARD_DEFENSES: Defense[] = [
  {
    name: 'time limit of counts and suggestions',
    cuts: [{ file: 'lib/listing/within-time.ts', from: 'statement_timeout: String(Math.max(1, Math.round(ms)))', to: "work_mem: '8MB'" }],
    test: { file: 'lib/listing/within-time.test.ts', title: 'takes longer than its limit' },
    says: /to deeply equal/,
  },
  {
    name: 'counts of saved views once a minute',
    cuts: [{ file: 'lib/reports/count-views.ts', from: 'if (cache.has(key)) continue', to: '' }],
    test: { file: 'lib/reports/count-views.test.ts', title: 'reads a count once' },
    says: /to have a length of 2/,
  },
  {
    name: 'time limit of all counts of saved views',
    cuts: [{ file: 'lib/reports/count-views.ts', from: 'if (performance.now() > until) return', to: '' }],
    test: { file: 'lib/reports/count-views.test.ts', title: 'stops after its time limit' },
    says: /to deeply equal/,
  },
]
