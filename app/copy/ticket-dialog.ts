/** UI text for the button that edits a ticket. The text for the form is in a separate file that is loaded later. */
export const ticketDialogCopy = {
  edit: 'Edit',
  title: 'Edit ticket',
  hint: 'The QR code and check-in status stay the same.',
} as const
