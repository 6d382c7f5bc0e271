/** Text of the button that edits a ticket. The text of the form is in a separate file that is loaded later. */
export const ticketDialogCopy = {
  edit: 'Edit',
  title: 'Edit ticket',
  hint: 'The QR code and the check-in do not change.',
} as const
