/** Text of the button that edits a ticket, apart from that of the form, which is loaded later. */
export const ticketDialogCopy = {
  edit: 'Edit',
  title: 'Edit ticket',
  hint: 'The QR code and the check-in do not change.',
} as const
