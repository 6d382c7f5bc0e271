/** Text of the dashboard shell's client components. */
export const shellCopy = {
  collapse: 'Collapse sidebar',
  dismiss: 'Dismiss',
  offline: (time: string) => `Offline — showing data from ${time}`,
  offlineHint: 'We keep trying. What you clicked opens as soon as the connection is back.',
  online: 'You’re back online.',
  retry: 'Try now',
  lost: 'The connection was lost. Check whether your change was saved before you repeat it.',
} as const
