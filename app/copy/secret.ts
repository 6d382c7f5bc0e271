/** UI text for secrets shown only once, in a separate file so that pages with this dialog load no other text. */
export const secretCopy = {
  saved: 'I have saved it',
  copy: 'Copy',
  copied: 'Copied',
  copyManually: 'Your browser blocked copying. The text is selected: press Ctrl+C or ⌘C.',
} as const
