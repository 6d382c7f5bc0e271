/** UI text for the setup page of a check-in device. */
import { formatCount } from './format'

export const deviceSetupCopy = {
  title: 'Set up this check-in device',
  hint: 'Ask the organizer for a code. No account is needed.',
  code: 'Code',
  codeHint: '12 letters and digits',
  codeError: 'This code is incorrect, was already used, or has expired. Check it, or ask the organizer for a new one.',
  unsent: (count: number) =>
    `${count === 1 ? '1 scan from this browser hasn’t' : `${formatCount(count)} scans from this browser haven’t`} been sent yet. Check the connection and try again.`,
  storageError: 'This browser’s storage couldn’t be read, so the device wasn’t set up. Free up some space and try again.',
  submit: 'Set up',
  pending: 'Setting up…',
} as const
