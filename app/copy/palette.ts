/** The words of the palette. */
export const paletteWords = {
  open: 'Find',
  title: 'Find or go to',
  label: 'Id, order, e-mail, code or page',
  close: 'Close',
  pages: 'Go to',
  overview: 'Overview',
  settings: 'Settings',
  searching: 'Searching…',
  nothing: 'Nothing matches. Try the whole order, e-mail address or id.',
  short: 'Type two characters or more to find a record.',
  count: (count: number) => (count === 1 ? '1 record found' : `${count} records found`),
  outage: 'The records can’t be reached just now. Type again in a moment.',
  signedOut: 'You have been signed out. Reload the page to sign in.',
} as const
