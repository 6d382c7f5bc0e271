/** UI text for the command palette. The text of its button is in `palette-button.ts`, because every page loads it. */
import { formatPlural } from './format'

export const paletteCopy = {
  title: 'Search',
  label: 'ID, order, email, name, code or page',
  close: 'Close',
  pages: 'Go to',
  actions: 'Actions',
  /** The label of the link to a list of all matches. */
  all: (what: string) => `All matching ${what}`,
  searching: 'Searching…',
  nothing: 'No results. Try another name, email, order number or ID.',
  short: 'Type at least two characters to search.',
  count: (count: number, hasMore: boolean) => (hasMore ? `More than ${formatPlural(count, 'result')}` : formatPlural(count, 'result')),
  outage: 'We can’t reach your data right now. Try again in a moment.',
  signedOut: 'You have been signed out. Reload the page to sign in.',
} as const
