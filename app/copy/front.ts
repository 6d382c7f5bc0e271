/** UI text for the front page. */
export const frontCopy = {
  what: 'The back office for sellers of subscriptions, one-time products and event tickets: a dashboard, check-in at the door, and a JSON API.',
  api: 'API',
  apiHint: 'Send an API key as a Bearer token. Every response is JSON.',
  lists: (what: string) => `Lists ${what}, newest first, with cursor pagination.`,
  validates: 'Checks in a ticket. A single-entry ticket is accepted only once.',
  operator: 'Operations',
  runs: 'Liveness check.',
  ready: 'Readiness check: the database is reachable and migrated.',
} as const
