/** UI text for the invitation page. */
export const inviteCopy = {
  title: (shop: string) => `Join ${shop}`,
  hint: 'Choose a password to sign in with.',
  email: 'Email',
  password: 'Password',
  passwordHint: 'At least 10 characters',
  submit: 'Join',
  pending: 'Joining…',
  passwordError: 'Use 10 to 1,000 characters.',
  taken: 'You already have an account at this shop with this email. Sign in, or ask for an invitation to a different email.',
  ended: 'This invitation isn’t valid anymore',
  endedHint: 'It was already used, was revoked, or has expired. Ask for a new one.',
  signIn: 'Sign in',
} as const
