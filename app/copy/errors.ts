/** UI text for rejected changes. Every page loads it. */
export const errorCopy = {
  otherUser: (shop: string, email: string) => `You are now signed in to ${shop} as ${email}. Reload this page.`,
  signedOut: 'You have been signed out. Sign in from another tab, then try again here.',
  busy: 'The server is busy with another erasure or resend, so nothing was changed. Try again in a moment.',
  erasing: 'A customer’s data is being erased, so nothing was changed. Try again in a moment.',
  signIn: 'Open sign-in page',
  nothingChanged: 'Nothing was changed.',
  reload: 'Reload',
} as const
