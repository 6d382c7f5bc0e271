/** Defenses for the Stripe webhook, the importer and restores against hostile or damaged input, and for `desk` against lost output. */
import type { Defense } from './defenses'

export const INPUT_DEFENSES: Defense[] = [
  {
    name: 'one transaction per import batch',
    cuts: [
      {
        file: 'lib/sync/import/import.ts',
        from: 'database().transaction(async (connection) => {',
        to: 'database().use(async (connection) => {',
      },
    ],
    test: { file: 'lib/sync/import/import.test.ts', title: 'leaves only complete batches' },
    says: /entries/,
  },
  {
    name: 'report of every rejected line',
    cuts: [
      {
        file: 'lib/sync/import/import.ts',
        from: 'await onReject({ line, path, reason, text })',
        to: 'if (path) await onReject({ line, path, reason, text })',
      },
    ],
    test: { file: 'e2e/faults/files.fault.ts', title: 'damaged files are imported without a crash' },
    says: /rejected, \d+ reported/,
  },
  {
    name: 'no text from UTF-16 lines in the file of rejected lines',
    cuts: [{ file: 'lib/sync/import/import.ts', from: 'if (bytes.includes(0))', to: 'if (bytes.length < 0)' }],
    test: { file: 'lib/sync/import/import.test.ts', title: 'rejects lines that are not UTF-8' },
    says: /is not valid JSON/,
  },
  {
    name: 'a command fails if its output, such as a new key, is lost',
    cuts: [
      {
        file: 'cli/run-command.ts',
        from: 'if (output !== undefined) await writeStandardOutput(',
        to: 'if (output !== undefined) process.stdout.write(',
      },
    ],
    test: { file: 'cli/standard-output.test.ts', title: 'reports that standard output cannot be written' },
    says: /instead of rejecting/,
  },
  {
    name: 'amounts in whole minor units',
    cuts: [{ file: 'lib/catalog/shapes.ts', from: 'refine(Number.isSafeInteger', to: 'refine(Number.isFinite' }],
    test: { file: 'lib/sync/import/import.test.ts', title: 'has the amount' },
    says: /"rejected": 1/,
  },
  {
    name: 'rejection of numbers that would be rounded',
    cuts: [
      { file: 'lib/sync/writers/clean.ts', from: 'if (!Number.isInteger(value)) return false', to: 'if (value < Infinity) return false' },
    ],
    test: { file: 'lib/sync/import/import.test.ts', title: 'which JSON.parse rounds' },
    says: /"rejected": 1/,
  },
  {
    name: 'Stripe events take no slots while they are uploaded',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: 'const payload = await readPayload(request, grow)',
        to: 'const payload = await semaphore.run(() => readPayload(request, grow))',
      },
    ],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'accepts events while 20 clients' },
    says: /503/,
  },
  {
    name: 'Stripe events hold no connection while they wait for an erasure',
    cuts: [
      {
        file: 'lib/accounts/erasure-lock.ts',
        from: 'select pg_try_advisory_xact_lock_shared(',
        to: 'select true as "isHeld" from pg_advisory_xact_lock_shared(',
      },
    ],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'leaves connections for other sellers' },
    says: /expected 503 to be 200/,
  },
  {
    name: 'a Stripe event that exceeds its time limit fails after three attempts',
    cuts: [{ file: 'lib/sync/stripe/process-events.ts', from: '(isUnavailable(error) && !isSlow)', to: 'isUnavailable(error)' }],
    test: { file: 'lib/sync/stripe/events.test.ts', title: 'fails after three attempts that reach the time limit' },
    says: /"attempts": 0/,
  },
  {
    name: 'time limit for uploads of Stripe events',
    cuts: [{ file: 'lib/http/stripe-webhook.ts', from: 'const READ_MS = 5_000', to: 'const READ_MS = 500_000' }],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'accepts events while 20 clients' },
    says: /timed out/i,
  },
  {
    name: 'limit on concurrent uploads of large Stripe events',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: '{ total: 8 * MEBIBYTE, perAddress: 2 * MEBIBYTE }',
        to: '{ total: 8000 * MEBIBYTE, perAddress: 2000 * MEBIBYTE }',
      },
    ],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'at once, 2 per address, and meanwhile accepts ordinary events' },
    says: /"status": 400/,
  },
  {
    name: 'limit on Stripe events of unknown length that turn out to be large',
    cuts: [{ file: 'lib/http/stripe-webhook.ts', from: 'if (length <= reserved) return', to: 'return' }],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'at once, 2 per address, and meanwhile accepts ordinary events' },
    says: /"status": 400/,
  },
  {
    name: 'separate limit for ordinary Stripe events',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: '(bytes > MAX_SMALL_BYTES ? reserveLarge : reserveSmall)(address, bytes)',
        to: '(bytes > MAX_SMALL_BYTES || reserveSmall ? reserveLarge : reserveSmall)(address, bytes)',
      },
    ],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'at once, 2 per address, and meanwhile accepts ordinary events' },
    says: /expected 503 to be 200/,
  },
  {
    name: 'limit on concurrent uploads of ordinary Stripe events',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: '{ total: 32 * MEBIBYTE, perAddress: 4 * MEBIBYTE }',
        to: '{ total: 3200 * MEBIBYTE, perAddress: 400 * MEBIBYTE }',
      },
    ],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'receives at most 4 MiB of ordinary events' },
    says: /expected 200 to be 503/,
  },
  {
    name: 'Stripe headers checked before the body',
    cuts: [
      {
        file: 'lib/http/stripe-webhook.ts',
        from: 'if (!hasRecentSignature(signature) || ',
        to: 'if (!(hasRecentSignature && signature) || ',
      },
    ],
    test: { file: 'lib/http/stripe-webhook.test.ts', title: 'before it reads the body' },
    says: /Stripe-Signature/,
  },
  {
    name: 'limit on events about one Stripe object',
    cuts: [
      { file: 'lib/sync/stripe/related-events.ts', from: 'const MAX_EVENTS = 1000', to: 'const MAX_EVENTS = 1_000_000' },
      { file: 'lib/sync/stripe/related-events.ts', from: 'const MAX_MEBIBYTES = 8', to: 'const MAX_MEBIBYTES = 1000' },
    ],
    test: { file: 'lib/sync/stripe/related-events.test.ts', title: 'about its objects' },
    says: /"state": "done"/,
  },
  {
    name: 'one limit for all related Stripe events',
    cuts: [{ file: 'lib/sync/stripe/related-events.ts', from: 'bytes -= Buffer.byteLength(payload)', to: 'bytes -= payload.length * 0' }],
    test: { file: 'lib/sync/stripe/related-events.test.ts', title: 'exceed the size limit in total' },
    says: /"state": "done"/,
  },
  {
    name: 'length limit for strings from Stripe',
    cuts: [{ file: 'lib/sync/stripe/objects.ts', from: 'z.string().max(max, ', to: 'z.string().max(max * 10, ' }],
    test: { file: 'lib/sync/stripe/related-events.test.ts', title: 'fails if the string exceeds its maximum length' },
    says: /"state": "done"/,
  },
  {
    name: 'Stripe events processed in slices',
    cuts: [
      {
        file: 'lib/sync/stripe/related-events.ts',
        from: 'await mapInSlices(found, ({ id, payload }) => {',
        to: 'found.map(({ id, payload }) => {',
      },
    ],
    test: { file: 'lib/sync/stripe/related-events.test.ts', title: 'the related events are parsed in slices' },
    says: /to be less than 10/,
  },
  {
    name: 'unclosed strings are read only once',
    cuts: [{ file: 'lib/sync/writers/clean.ts', from: '(?:"|\\\\?$)', to: '"' }],
    test: { file: 'lib/sync/writers/clean.test.ts', title: 'after reading it once' },
    says: /timed out/,
  },
  {
    name: 'a restore stops at a rejected row',
    cuts: [{ file: 'lib/backup/restore.ts', from: 'query.reject = reject', to: 'void reject' }],
    test: { file: 'lib/backup/backup.test.ts', title: 'whose last row is invalid' },
    says: /timed out/,
  },
  {
    name: 'rejection of a backup with a truncated table',
    cuts: [
      { file: 'lib/backup/restore.ts', from: 'if (length > 0) throw incomplete()', to: '' },
      { file: 'lib/backup/restore.ts', from: 'if (!line) throw incomplete()', to: 'if (!line) return' },
      { file: 'lib/backup/restore.ts', from: 'if (counts.tables < tables.length) throw incomplete()', to: '' },
    ],
    test: { file: 'lib/backup/backup.test.ts', title: 'that is truncated in its last table' },
    says: /promise resolved/,
  },
  {
    name: 'rejection of a backup that lacks tables',
    cuts: [{ file: 'lib/backup/restore.ts', from: 'if (counts.tables < tables.length) throw incomplete()', to: '' }],
    test: { file: 'lib/backup/backup.test.ts', title: 'that lacks tables' },
    says: /promise resolved/,
  },
  {
    name: 'length limit for lines in a backup',
    cuts: [{ file: 'lib/backup/restore.ts', from: 'const MAX_LINE_BYTES = 64 * 1024 * 1024', to: 'const MAX_LINE_BYTES = 2 ** 40' }],
    test: { file: 'lib/backup/backup.test.ts', title: 'with a line longer than 64 MiB' },
    says: /longer than 64 MiB/,
  },
  {
    name: 'limit on prepared statements',
    cuts: [{ file: 'db/client.ts', from: 'const MAX_PREPARED = 500_000', to: 'const MAX_PREPARED = 500_000_000' }],
    test: {
      file: 'db/client.test.ts',
      title: 'prepares repeated statements, but only up to a limit on the total length of all prepared statements',
    },
    says: /to be less than/,
  },
]
