/** The words of accepting an invitation. */
export const inviteWords = {
  title: (shop: string) => `Join ${shop}`,
  hint: 'Choose a password to sign in with.',
  email: 'E-mail',
  password: 'Password',
  passwordHint: 'At least 10 characters.',
  submit: 'Join',
  pending: 'Joining…',
  complaint: 'Take a password of at least 10 characters, and at most 1,000.',
  taken: 'This address belongs to a user by now. Sign in with it, or ask for an invitation to another address.',
  ended: 'This invitation can’t be used',
  endedHint: 'It has expired, was used or was taken back. Ask who invited you for a new one.',
  signIn: 'Sign in',
  show: 'Show',
  hide: 'Hide',
} as const
