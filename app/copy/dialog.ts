/** Text of the buttons in dialogs and forms. Apart from the other texts, so that a page with a dialog loads no more of them. */
export const dialogCopy = {
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saving: 'Saving…',
} as const
