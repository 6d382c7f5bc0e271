/** UI text for the error pages other than the outage page, and for forms that cannot be submitted. */
export const errorCopy = {
  forbidden: 'You don’t have access to this page',
  forbiddenHint: 'Your role doesn’t include it. Ask an owner of your shop for access.',
  notFound: 'Page not found',
  notFoundHint: 'It doesn’t exist, or it belongs to another shop.',
  home: 'Go to home page',
  otherUser: (shop: string, email: string) => `You are now signed in to ${shop} as ${email}. Reload this page.`,
  signedOut: 'You have been signed out. Sign in in another tab, then try again here.',
  signIn: 'Open sign-in page',
  nothingChanged: 'Nothing was changed.',
  reload: 'Reload',
  changedTo: (value: string) => (value === '' ? 'Someone else has cleared this.' : `Someone else has changed this to “${value}”.`),
  replaces: 'If you save, your text replaces it.',
  formTooLarge: 'This is too much text for one form. Shorten it and try again.',
} as const
