/** Defenses against lost, repeated and unauthorized changes to records, and against erased data that reappears. */
import type { Defense } from './defenses'

const COUPON_ROUTES_TEST = 'lib/http/coupon-routes.test.ts'

const BROKEN_STATEMENTS_TEST = 'db/broken-statements.test.ts'

export const WRITE_DEFENSES: Defense[] = [
  {
    name: 'broken statements: no empty elements in the next result',
    cuts: [{ file: 'db/client.ts', from: 'as object).forEach(addRow)', to: 'as object)' }],
    test: { file: BROKEN_STATEMENTS_TEST, title: 'does not leave empty elements in the next result' },
    says: /expected \[ undefined/,
  },
  {
    name: 'broken statements: a lost transaction does not continue in the next one',
    cuts: [
      { file: 'db/transaction.ts', from: '    if (failures.length > 0) throw failures[0]\n    return', to: '    return' },
      { file: 'db/transaction.ts', from: 'if (isOver) query.reject(failures[0])\n    else if', to: 'if' },
    ],
    test: { file: BROKEN_STATEMENTS_TEST, title: 'in the next transaction' },
    says: /"step": "late"/,
  },
  {
    name: 'broken statements: a lost transaction does not end the next one',
    cuts: [
      { file: 'db/transaction.ts', from: '      if (failures.length > 0) throw failures[0]\n      const', to: '      const' },
      { file: 'db/transaction.ts', from: 'if (isOver) query.reject(failures[0])\n    else if', to: 'if' },
    ],
    test: { file: BROKEN_STATEMENTS_TEST, title: 'in the next transaction' },
    says: /to deeply equal/,
  },
  {
    name: 'broken statements: a transaction with a failed statement is not committed',
    cuts: [
      { file: 'db/transaction.ts', from: '      if (failures.length > 0) throw failures[0]\n      const', to: '      const' },
      { file: 'db/transaction.ts', from: '      if (failures.length > 0) throw failures[0]\n      if', to: '      if' },
    ],
    test: { file: 'db/transaction.test.ts', title: 'fails the transaction, even if the error is caught' },
    says: /ended with ROLLBACK/,
  },
  {
    name: 'broken statements: a failed statement is not sent again after COMMIT',
    cuts: [
      { file: 'db/client.ts', from: "return Object.defineProperty(query, 'retried', FAIL_ON_RETRY) as never", to: 'return query as never' },
    ],
    test: { file: 'db/transaction.test.ts', title: 'is not sent again after COMMIT' },
    says: /ended with ROLLBACK/,
  },
  {
    name: 'broken statements: an outdated prepared statement is retried with the same parameters',
    cuts: [
      {
        file: 'db/client.ts',
        from: 'if (!prepare || !STALE_STATEMENT_ROUTINES.has(',
        to: 'if (!STALE_STATEMENT_ROUTINES.size || STALE_STATEMENT_ROUTINES.has(',
      },
    ],
    test: { file: BROKEN_STATEMENTS_TEST, title: 'a prepared statement that the server no longer has' },
    says: /does not exist/,
  },
  {
    name: 'broken statements: a transaction queued behind a hundred statements gets its connection',
    cuts: [{ file: 'db/client.ts', from: 'max_pipeline: Number.POSITIVE_INFINITY', to: 'max_pipeline: 100' }],
    test: { file: 'db/transaction.test.ts', title: 'a transaction queued behind many statements' },
    says: /UNSAFE_TRANSACTION/,
  },
  {
    name: 'the driver’s lists do not grow with each statement',
    cuts: [{ file: 'db/client.ts', from: '{ ...options, onexecute: patchQueues } as object', to: 'void patchQueues || options' }],
    test: { file: 'db/transaction.test.ts', title: 'queues do not grow with many' },
    says: /to be less than 100/,
  },
  {
    name: 'the driver’s lists do not grow with each connection attempt',
    cuts: [{ file: 'db/driver.ts', from: '      patch(next)\n', to: '' }],
    test: { file: 'db/transaction.test.ts', title: 'do not grow with each new connection' },
    says: /to be less than 30/,
  },
  {
    name: 'broken statements: a connection with an open transaction is not used for other statements',
    cuts: [{ file: 'db/client.ts', from: " || code === 'UNSAFE_TRANSACTION'", to: '' }],
    test: { file: 'db/transaction.test.ts', title: 'has an open transaction but was not reserved' },
    says: /to deeply equal/,
  },
  {
    name: 'broken statements: no statement with an undefined parameter is sent',
    cuts: [{ file: 'db/client.ts', from: 'if (args[1]?.includes(undefined as never)) throw', to: 'if (!args) throw' }],
    test: { file: BROKEN_STATEMENTS_TEST, title: 'with an undefined parameter' },
    says: /is undefined/,
  },
  {
    name: 'admission: a write with an already used idempotency key is rolled back even after COMMIT has been sent',
    cuts: [{ file: 'lib/admission/statements.ts', from: 'select 1 / count(*) from stored', to: 'select 1 from stored' }],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'is accepted for only one of them' },
    says: /to deeply equal/,
  },
  {
    name: 'writes: slow uploads do not take slots from lists',
    cuts: [{ file: 'lib/http/write-route.ts', from: '    receive,\n    async run', to: '    async run' }],
    test: { file: 'lib/http/load-shedding.test.ts', title: 'runs lists while clients upload changes slowly' },
    says: /503/,
  },
  {
    name: 'writes: lock on the changed record',
    cuts: [
      { file: 'lib/sync/edit/edit-record.ts', from: ' for no key update`', to: '`' },
      { file: 'lib/sync/edit/coupons.ts', from: '  await lockCodes(connection, sellerId, [found.code])\n', to: '' },
    ],
    test: { file: COUPON_ROUTES_TEST, title: 'applies all concurrent changes to a record' },
    says: /toMatchObject|to match object/,
  },
  {
    name: 'writes: preconditions are checked',
    cuts: [{ file: 'lib/http/write-route.ts', from: '      checkPrecondition(ifMatch, current)\n', to: '' }],
    test: { file: COUPON_ROUTES_TEST, title: 'changes a record only if it still has the ETag' },
    says: /412/,
  },
  {
    name: 'writes: a ticket that has changed since the form was opened is not edited',
    cuts: [{ file: 'lib/sync/edit/edit-record.ts', from: "      if (!isUnchanged(current)) return 'changed'\n", to: '' }],
    test: { file: 'lib/sync/edit/tickets.test.ts', title: 'rejects the edit if the ticket was scanned after the form was opened' },
    says: /'saved' to be 'changed'/,
  },
  {
    name: 'notes hold no connection while a customer is being erased',
    cuts: [
      {
        file: 'lib/accounts/erasure-lock.ts',
        from: 'if (!(await tryBlockErasures(connection, seller))) throw',
        to: 'if (!(await waitForErasure(connection, seller))) throw',
      },
    ],
    test: { file: 'lib/sync/edit/notes.test.ts', title: 'rejects a note during an erasure' },
    says: /lock timeout|lock_timeout|55P03/,
  },
  {
    name: 'writes: only the author and owners can delete a note',
    cuts: [{ file: 'lib/sync/edit/notes.ts', from: 'mayDeleteAll ? undefined : eq(recordNotes.userId, by.userId)', to: 'undefined' }],
    test: { file: 'lib/sync/edit/notes.test.ts', title: 'allows only a note’s author and owners to delete it' },
    says: /to be undefined/,
  },
  {
    name: 'writes: a note is not restored without its record',
    cuts: [{ file: 'lib/sync/edit/notes.ts', from: 'where exists (', to: 'where true or exists (' }],
    test: { file: 'lib/sync/edit/notes.test.ts', title: 'does not restore a note if its record has been deleted' },
    says: /true to be false/,
  },
  {
    name: 'writes: responses stored under an idempotency key',
    cuts: [{ file: 'lib/http/write-route.ts', from: '  if (stored) return', to: '  if (stored && !keyed) return' }],
    test: { file: COUPON_ROUTES_TEST, title: 'replays the first response' },
    says: /409|500/,
  },
  {
    name: 'writes: no secret in a stored response',
    cuts: [
      {
        file: 'lib/http/write-route.ts',
        from: 'result.status, withoutSecrets(operation, result.body))',
        to: 'result.status, result.body)',
      },
    ],
    test: {
      file: 'lib/http/webhook-routes.test.ts',
      title: 'has a secret that is neither in the response to a retry nor stored with the idempotency key',
    },
    says: /whsec_/,
  },
  {
    name: 'writes: an idempotency key cannot be reused for a different request',
    cuts: [
      {
        file: 'lib/http/write-route.ts',
        from: "if (row.stored.fingerprint === fingerprint.toString('hex')) return",
        to: 'if (fingerprint) return',
      },
    ],
    test: { file: COUPON_ROUTES_TEST, title: 'rejects an idempotency key that was already used with another' },
    says: /422/,
  },
  {
    name: 'writes: one coupon per code under concurrency',
    cuts: [{ file: 'lib/sync/edit/coupons.ts', from: '  await lockCodes(connection, sellerId, [coupon.code])\n', to: '' }],
    test: { file: COUPON_ROUTES_TEST, title: 'creates only one coupon for concurrent requests with the same code' },
    says: /201/,
  },
  {
    name: 'writes: text that PostgreSQL cannot store is rejected',
    cuts: [{ file: 'lib/http/body.ts', from: 'if (unstorable) throw', to: 'if (unstorable && !body) throw' }],
    test: { file: COUPON_ROUTES_TEST, title: 'rejects an invalid' },
    says: /500/,
  },
  {
    name: 'erasure: records that are imported or received again are redacted again',
    cuts: [
      {
        file: 'lib/sync/writers/record-writer.ts',
        from: '(isPersonal(record) ? await redactErased(connection, seller, unsorted) : unsorted)',
        to: 'unsorted',
      },
    ],
    test: { file: 'lib/sync/erase/erase-customer.test.ts', title: 'does not restore erased data' },
    says: / in payments/,
  },
  {
    name: 'erasure: also covers events whose data is not stored yet',
    cuts: [{ file: 'lib/sync/erase/erase-copies.ts', from: "eventData('events')", to: 'sql`data`' }],
    test: {
      file: 'lib/sync/erase/erase-customer.test.ts',
      title: 'erases the person from an event without data of its own, if its order mentions them',
    },
    says: /not to contain/,
  },
  {
    name: 'erasure: also covers data from earlier versions of records',
    cuts: [{ file: 'lib/sync/erase/person-texts.ts', from: '[...current, ...former, ...earlier]', to: 'current' }],
    test: { file: 'lib/sync/erase/erase-customer.test.ts', title: 'erases the person’s earlier data' },
    says: / in record_notes/,
  },
  {
    name: 'erasure: removes webhook responses about the person',
    cuts: [{ file: 'lib/sync/erase/erase-copies.ts', from: 'await clearWebhookResponses(connection, seller, recordIds)', to: '0' }],
    test: { file: 'lib/sync/erase/erase-customer.test.ts', title: 'erases the person’s earlier data' },
    says: / in webhook_attempts/,
  },
  {
    name: 'erasure: also covers views that are being saved',
    cuts: [
      {
        file: 'lib/accounts/saved-views.ts',
        from: '  await blockErasures(connection, sellerId)\n  await lockUser',
        to: '  await lockUser',
      },
    ],
    test: { file: 'lib/sync/erase/erase-customer.test.ts', title: 'waits for a view that is being saved' },
    says: /expected \+?0 to be 1/,
  },
  {
    name: 'erasure: also covers Stripe events that arrive later',
    cuts: [{ file: 'lib/sync/stripe/events.ts', from: 'payload: stored }', to: 'payload }' }],
    test: { file: 'lib/sync/erase/erase-customer.test.ts', title: 'does not restore erased data' },
    says: / in stripe_events/,
  },
  {
    name: 'erasure: imported records are redacted before Stripe events replace their email addresses',
    cuts: [
      {
        file: 'lib/sync/stripe/reconcile.ts',
        from: 'await redactErased(connection, seller, rows)',
        to: 'rows',
      },
    ],
    test: { file: 'lib/sync/stripe/stripe.test.ts', title: 'is redacted if it is about an erased person' },
    says: /CANARY/,
  },
  {
    name: 'tickets table restricted to one seller',
    cuts: [
      {
        file: 'lib/listing/ticket-table.ts',
        from: 'sql`text.seller_id = \u0024{sellerId}`',
        to: 'sql`\u0024{sellerId}::text is not null`',
      },
    ],
    test: { file: 'lib/listing/ticket-table.test.ts', title: 'rejects another seller’s cursor, and contradictory dates' },
    says: /promise resolved/,
  },
  {
    name: 'table search: words contained in other words are dropped',
    cuts: [{ file: 'lib/listing/search-matches.ts', from: 'other !== lower && other.includes(lower)', to: 'other !== lower && !other' }],
    test: { file: 'lib/listing/search-records.test.ts', title: 'drops search words that are part of another word' },
    says: /to deeply equal/,
  },
]
