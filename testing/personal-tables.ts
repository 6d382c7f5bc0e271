/** Classifies every table by whether it can hold the personal data of a customer or guest. A test fails if a table of the schema is missing here. */

import { PERSONAL_RESOURCES } from '@/lib/sync/erase/personal-resources'

/** Tables that an erasure rewrites. A test fills each of them and erases the person. */
export const ERASED_TABLES = [
  ...PERSONAL_RESOURCES,
  'tickets',
  'check_ins',
  'offline_scans',
  'events',
  'stripe_events',
  'audit_log',
  'idempotency_keys',
  'record_notes',
  'saved_views',
  'webhook_attempts',
]

/** Tables without personal data, and why. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  sellers: 'is the shop itself',
  users: 'are the shop’s team, who are not customers',
  two_factors: 'belong to the team',
  sessions: 'belong to the team',
  invitations: 'are for the team',
  sign_in_failures: 'are digests',
  api_keys: 'are named by the team',
  devices: 'are named by the team',
  pages: 'are products and events',
  products: 'are products',
  coupons: 'are offers to anyone',
  erasures: 'are digests of erased people',
  validation_attempts: 'have IDs, and the name of a device',
  request_log: 'has paths without parameters',
  record_counts: 'are totals',
  stripe_accounts: 'are secrets of the shop',
  webhook_endpoints: 'are addresses of the shop’s systems',
  webhook_deliveries: 'have IDs',
  ticket_counts: 'are totals',
  ticket_changes: 'have IDs',
  ticket_code_keys: 'are digests of codes',
  scan_counts: 'are totals',
  admission_counts: 'are totals',
  rollups: 'are totals',
  rate_limits: 'are counters by key or digest',
}
