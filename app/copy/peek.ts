/** UI text for the record drawer next to a table. */
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
