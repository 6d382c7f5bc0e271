/** The words of signing in and out. */
export const signInWords = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  pending: 'Signing in…',
  wrong: 'That e-mail address and password do not go together. Check both and try again.',
  slowed: (seconds: number) => `Too many wrong tries. Wait ${seconds} s and try again.`,
  failed: 'Signing in did not work just now. Try again in a moment.',
  signOut: 'Sign out',
} as const
