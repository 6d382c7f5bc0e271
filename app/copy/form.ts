/** UI text for all forms. It is separate from `errors.ts`, which every page loads. */
export const formCopy = {
  changedTo: (value: string) => (value === '' ? 'Someone else has cleared this.' : `Someone else has changed this to “${value}”.`),
  replaces: 'If you save, your text replaces it.',
  unreadable: 'This value is incomplete or invalid. Correct it, or clear the field.',
  unsaved: 'You have unsaved changes. Close the dialog to discard them.',
  tooLarge: 'This is too much text for one form. Shorten it and try again.',
  show: 'Show',
  hide: 'Hide',
} as const
