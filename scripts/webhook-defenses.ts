/** Defenses for events and webhooks. */
import type { Defense } from './defenses'

export const WEBHOOK_DEFENSES: Defense[] = [
  {
    name: 'events are listed only below the snapshot’s xmin',
    cuts: [{ file: 'lib/listing/list-events.ts', from: 'transactionId} < pg_snapshot_xmin(', to: 'transactionId} < pg_snapshot_xmax(' }],
    test: {
      file: 'lib/events/events.test.ts',
      title: 'omits events while a running transaction could still add earlier ones, so that readers miss none',
    },
    says: /to have a length of 1 but got 2/,
  },
  {
    name: 'an event’s data is stored before its record changes again',
    cuts: [{ file: 'db/migrations/0036_event_writes.sql', from: 'SET data = before.record', to: 'SET data = data' }],
    test: { file: 'lib/events/events.test.ts', title: 'keeps the record as of each event' },
    says: /Property failed/,
  },
  {
    name: 'webhooks only to public addresses',
    cuts: [{ file: 'lib/webhooks/deliver.ts', from: "env().WEBHOOK_ALLOW_PRIVATE_ADDRESSES === 'true'", to: 'Boolean(env())' }],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'are refused at connection time' },
    says: /private_address|to deeply equal \[\]/,
  },
  {
    name: 'webhooks only over HTTPS',
    cuts: [{ file: 'lib/webhooks/send.ts', from: "!allowsPrivate && !url.startsWith('https:')", to: '!allowsPrivate && !url' }],
    test: { file: 'lib/webhooks/send.test.ts', title: 'does not use HTTP unless it is allowed' },
    says: /insecure_url/,
  },
  {
    name: 'check of the IP address in a webhook’s URL',
    cuts: [
      {
        file: 'lib/webhooks/send.ts',
        from: 'allowsPrivate && isIP(host) && !isPublicAddress(host)',
        to: 'allowsPrivate && isIP(host) && !host',
      },
    ],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'are refused at connection time' },
    says: /private_address/,
  },
  {
    name: 'check of the IP addresses of a webhook’s host name',
    cuts: [
      {
        file: 'lib/webhooks/send.ts',
        from: 'addresses.some(({ address }) => !isPublicAddress(address))',
        to: 'addresses.some(({ address }) => !isPublicAddress && address)',
      },
    ],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'resolves to them after its endpoint was created' },
    says: /private_address/,
  },
  {
    name: 'no webhooks to private addresses that ipaddr.js considers public',
    cuts: [{ file: 'lib/core/public-address.ts', from: 'NOT_PUBLIC.some(', to: 'NOT_PUBLIC.slice(2).some(' }],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'are refused at connection time' },
    says: /private_address/,
  },
  {
    name: 'webhooks in progress are not sent again if another one cannot be recorded',
    cuts: [{ file: 'lib/webhooks/deliver.ts', from: 'await Promise.allSettled(due', to: 'await Promise.all(due' }],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'ends before the next run can start' },
    says: /deeply equal/,
  },
  {
    name: 'webhooks resolve host names without using Node’s thread pool',
    cuts: [{ file: 'lib/webhooks/send.ts', from: '{ lookup: lookUp }', to: '{ lookup: lookUp && undefined }' }],
    test: {
      file: 'lib/webhooks/deliver.test.ts',
      title: 'looks up names outside the thread pool',
    },
    says: /1 to be 0|toBe\(0\)|to be \+?0/,
  },
  {
    name: 'no attempts after a webhook endpoint is disabled',
    cuts: [
      {
        file: 'lib/webhooks/deliver.ts',
        from: "case when state = 'pending' or \u0024{succeeded}::bool then \u0024{state} else state end",
        to: '\u0024{state}',
      },
    ],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'is not retried if its endpoint is disabled' },
    says: /pending/,
  },
  {
    name: 'webhook attempts lock their endpoint first',
    cuts: [
      { file: 'lib/webhooks/deliver.ts', from: ' and (select count(*) from endpoint) >= 0', to: '' },
      // PostgreSQL may evaluate the parts of the statement in any order; this makes it start with the attempt.
      {
        file: 'lib/webhooks/deliver.ts',
        from: 'select coalesce(coalesce((select failing_since from endpoint)',
        to: 'select (select count(*) from attempt) as first, coalesce(coalesce((select failing_since from endpoint)',
      },
    ],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'without locking the event or the delivery while its endpoint is locked' },
    says: /could not obtain lock on row in relation/,
  },
  {
    name: 'a webhook attempt is recorded only once',
    cuts: [{ file: 'lib/webhooks/deliver.ts', from: 'id = \u0024{attemptId}::text::bigint`', to: 'id < 0`' }],
    test: { file: 'lib/webhooks/deliver.test.ts', title: 'is recorded once, even if the database’s response is lost' },
    says: /"attempts": 2/,
  },
  {
    name: 'one job per webhook endpoint',
    cuts: [{ file: 'lib/webhooks/delivery-worker.ts', from: 'void job.finally(', to: 'await job.finally(' }],
    test: { file: 'lib/webhooks/delivery-worker.test.ts', title: 'while another one, which it served first, hangs' },
    says: /Matcher did not succeed in time/,
  },
  {
    name: 'no second job for a webhook endpoint on another server',
    cuts: [
      {
        file: 'lib/webhooks/delivery-worker.ts',
        from: 'singletonKey: key.endpointId, ...ONE_JOB',
        to: 'singletonKey: (ONE_JOB, key.endpointId)',
      },
    ],
    test: { file: 'lib/webhooks/delivery-worker.test.ts', title: 'send each event once' },
    says: /to deeply equal \[ \[\] \]/,
  },
  {
    name: 'no control characters in the terminal when listening to events',
    cuts: [{ file: 'public/docs/listen.mjs', from: "text.replace(/\\p{Cc}/gu, ' ')", to: 'text' }],
    test: { file: 'lib/webhooks/listen.test.ts', title: 'prints why an event was not delivered' },
    says: /2J/,
  },
]
