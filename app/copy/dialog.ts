/** UI text for the buttons in dialogs and forms. In a separate file, so that a page with a dialog loads nothing else. */
export const dialogCopy = {
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saving: 'Saving…',
} as const
