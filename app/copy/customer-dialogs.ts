/** UI text for the buttons and dialogs to edit and erase a customer. */
export const customerDialogCopy = {
  edit: 'Edit',
  editTitle: 'Edit customer',
  editHint: 'Past orders keep their original details.',
  erase: (customer: string) => ({
    label: 'Erase',
    title: `Erase ${customer}?`,
    description:
      'Names, email addresses, phone numbers, addresses and tax IDs will be removed from this customer and from all their orders, tickets and history. Amounts, dates and IDs are kept. Backups and exported files won’t be changed. This can’t be undone.',
    confirmLabel: 'Erase permanently',
    successMessage: 'Customer erased.',
  }),
} as const
