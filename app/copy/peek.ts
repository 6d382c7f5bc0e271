/** UI text for the drawer that shows a record next to its table. */
export const peekCopy = {
  label: 'Record',
  open: 'Open',
  openHint: 'Open the full page (Enter)',
  close: 'Close',
  closeHint: 'Close (Esc)',
  test: 'test',
  failed: 'Couldn’t load this record. Open its page, or try again.',
  retry: 'Try again',
} as const
