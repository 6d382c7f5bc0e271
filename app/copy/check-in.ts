/** UI text for the button that checks in a ticket on the record pages. */
export const checkInCopy = {
  checkIn: 'Check in',
  checkInAccessibleName: (name: string) => `Check in ${name}`,
  checkedIn: (name: string) => `Checked in ${name}`,
  offline: 'No connection. Try again.',
} as const
