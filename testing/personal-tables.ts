/** Classifies every table by whether it can contain personal data of customers or guests. A test fails if a table is missing. */
import { PERSONAL_RESOURCES } from '@/lib/sync/erase/personal-resources'

/** Tables that an erasure rewrites. A test fills each of them and then erases the person. */
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

/** Tables without personal data of customers or guests, with the reason for each. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  sellers: 'describes the shop itself',
  users: 'are members of the shop’s team, not customers',
  two_factors: 'belong to members of the team',
  sessions: 'belong to members of the team',
  invitations: 'are for members of the team',
  sign_in_failures: 'contain only digests',
  api_keys: 'have names chosen by the team',
  devices: 'have names chosen by the team',
  pages: 'are products and events',
  products: 'are products',
  coupons: 'are offers to everyone',
  erasures: 'are digests of erased people',
  validation_attempts: 'contain only IDs and the name of a device',
  request_log: 'contains paths without parameters',
  record_counts: 'are totals',
  stripe_accounts: 'contain only secrets of the shop',
  webhook_endpoints: 'contain URLs of the shop’s systems',
  webhook_deliveries: 'contain only IDs',
  ticket_counts: 'are totals',
  ticket_changes: 'contain only IDs and digests of codes',
  ticket_code_keys: 'contain only digests of codes',
  scan_counts: 'are totals',
  admission_counts: 'are totals',
  rollups: 'are totals',
  rate_limits: 'are counters per key or digest',
}
