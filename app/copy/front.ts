/** The words of the front page. */
export const frontWords = {
  what: 'The back office of a seller of subscriptions, one-time products and event tickets. What was sold is here, and other systems ask for it with a key.',
  api: 'The API',
  apiHint: 'Send a key as a Bearer token; every answer is JSON.',
  lists: (what: string) => `Lists ${what}, newest first, by cursor.`,
  validates: 'Admits an event ticket once, and says so.',
  operator: 'For whoever runs it',
  runs: 'The process runs.',
  ready: 'The database answers, and its tables are in place.',
} as const
