/** UI text for the outage page and for the dashboard shell's client components. Every page loads it. */
export const shellCopy = {
  collapse: 'Collapse sidebar',
  dismiss: 'Dismiss',
  offline: (time: string) => `Offline — showing data from ${time}`,
  offlineHint: 'We’ll keep trying, and open the page you clicked.',
  online: 'You’re back online.',
  retry: 'Try now',
  outage: 'We can’t reach your data right now',
  outageHint: 'Nothing is lost. Try again in a moment.',
  again: 'Try again',
  notLoaded: 'This couldn’t be loaded. Check your connection, or reload the page.',
  signedOut: 'You have been signed out.',
  lost: 'The connection was lost. Check whether your change was saved before you repeat it.',
  unavailable: 'The server is unavailable. Check whether your change was saved before you repeat it.',
} as const
