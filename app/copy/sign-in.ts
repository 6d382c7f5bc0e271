/** UI text for signing in and out. */
import { formatPlural } from './format'

export const signInCopy = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  pending: 'Signing in…',
  wrong: 'Incorrect email or password.',
  tooManyAttempts: (seconds: number) => `Too many attempts. Try again in ${formatPlural(seconds, 'second')}.`,
  chooseShop: 'Choose a shop',
  code: 'Code',
  codeHint: 'From your authenticator app, or a recovery code',
  codeWrong: 'Incorrect or expired code. Enter the current one.',
  otherAccount: 'Use a different account',
  failed: 'We couldn’t sign you in. Try again in a moment.',
  deviceLink: 'Set up a check-in device with a code',
  signOut: 'Sign out',
  signOutOffline: 'No connection. You are still signed in.',
  signOutError: 'You may still be signed in. Reload the page, then try again.',
} as const
