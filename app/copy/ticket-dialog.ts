/** UI text for the button to edit a ticket. The text of the form is in a separate file, which is lazy-loaded. */
export const ticketDialogCopy = {
  edit: 'Edit',
  title: 'Edit ticket',
  hint: 'The QR code and check-in status stay the same.',
} as const
