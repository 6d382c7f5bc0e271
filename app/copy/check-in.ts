/** UI text for the check-in button on the record pages. */
export const checkInCopy = {
  checkIn: 'Check in',
  checkInAccessibleName: (name: string) => `Check in ${name}`,
  checkedIn: (name: string) => `Checked in ${name}`,
  offline: 'No connection. Try again.',
} as const
