/** UI text for the form to edit a ticket. */
export const ticketCopy = {
  customerName: 'Guest',
  customerEmail: 'Email',
  notes: 'Seat and notes',
  notesHint: 'Shown at check-in. Clear a note’s value to remove the note.',
  noteName: 'Note name',
  noteNameExample: 'Name, e.g. seat',
  noteValue: 'Note value',
  noteValueExample: 'Value, e.g. B 12',
  noteValueOf: (name: string) => `Value of ${name}`,
  saved: 'Ticket saved.',
  gone: 'This ticket no longer exists. Reload the page.',
  editConflict:
    'This ticket has changed since you opened this form, for example because it was scanned. Your changes are kept. Check the form, then save again.',
  tooManyNotes: 'This ticket has reached the limit of 50 notes. Remove one first.',
  noteExists: 'This ticket already has a note with this name. Change the value of that note instead.',
  canceledNotes: 'You can’t edit the notes of a canceled ticket.',
  fieldErrors: {
    customerName: 'Use at most 200 characters.',
    customerEmail: 'Enter an email address such as ada@example.com, or leave this field empty.',
    metadata: 'Give each note a unique name (up to 50 characters) and a value (up to 100).',
  },
} as const
