/** UI text for the Stripe settings, in a separate file so that other settings pages do not load it. */
import type { SecretState } from '@/lib/sync/stripe/account'
import { formatCount, formatPlural } from './format'

export const stripeCopy = {
  hint: 'Sync payments, subscriptions, coupons and customers from your Stripe account.',
  endpoint: 'Endpoint URL',
  endpointHint:
    'In Stripe, open Developers → Webhooks and add this endpoint with the payment_intent, charge, customer.created, customer.updated, customer.deleted, customer.subscription, invoice, invoice_payment and coupon events.',
  endpointWhat: 'endpoint URL',
  secret: 'Signing secret',
  secretHint: 'Stripe shows it next to the endpoint; it starts with whsec_. It is stored encrypted and not shown again.',
  secretStates: {
    none: 'No signing secret set. Events are rejected.',
    set: 'Signing secret set. Enter a new one to replace it.',
    lost: 'The signing secret can’t be decrypted because NEXTAUTH_SECRET changed. Enter the signing secret again. Until then, events are rejected.',
  } satisfies Record<SecretState, string>,
  fieldErrors: { secret: 'Enter the signing secret from Stripe, such as whsec_0123456789abcdef.' },
  saved: 'Signing secret saved.',
  lastEvent: 'Last event',
  waiting: 'Pending',
  failed: 'Failed',
  failedHint: 'These events were not processed. Fix the cause, then retry.',
  noneYet: 'No events yet',
  noneYetHint: 'The first event confirms that the endpoint and signing secret are correct.',
  noneFailed: 'No failed events',
  noneFailedHint: 'Events that can’t be processed appear here with the reason.',
  shown: (count: number, total: number) => `Showing the newest ${formatCount(count)} of ${formatCount(total)}.`,
  columns: { event: 'Event', type: 'Type', created: 'Created', attempts: 'Attempts', reason: 'Reason' },
  notFailed: 'This event was already processed, or a retry is in progress. Reload the page.',
  retry: 'Retry',
  retryAccessibleName: (id: string) => `Retry ${id}`,
  retryAll: 'Retry all',
  processed: (id: string) => `Processed ${id}.`,
  processedAll: (done: number, failed: number) =>
    `Processed ${formatPlural(done, 'event')}${failed === 0 ? '.' : `; ${formatCount(failed)} failed again.`}`,
  failedAgain: (id: string) => `${id} failed again.`,
} as const
