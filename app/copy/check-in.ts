/** UI text for the button that checks in a ticket on the record pages. */
export const checkInCopy = {
  checkIn: 'Check in',
  checkInNamed: (name: string) => `Check in ${name}`,
  done: (name: string) => `Checked in ${name}`,
  offline: 'Not checked in — no connection. Try again.',
} as const
