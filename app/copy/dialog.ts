/** UI text for the buttons in dialogs and forms, in a separate file so that pages with a dialog load no other text. */
export const dialogCopy = {
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saving: 'Saving…',
} as const
