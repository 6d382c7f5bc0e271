/** UI text for a secret that is shown once. In a separate file, so that a page with such a dialog loads nothing else. */
export const secretCopy = {
  saved: 'I have saved it',
  copy: 'Copy',
  copied: 'Copied',
  copyManually: 'Your browser blocked copying. The text is selected: press Ctrl+C or ⌘C.',
} as const
