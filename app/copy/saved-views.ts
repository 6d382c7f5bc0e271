/** UI text for saved views. */
export const savedViewsCopy = {
  title: 'Saved views',
  save: 'Save view',
  description: 'Saves the current filters and sort order. A relative period such as “Last month” stays relative.',
  name: 'Name',
  nameError: 'Enter a name (up to 60 characters).',
  shared: 'Share with everyone in the shop',
  submit: 'Save',
  saving: 'Saving…',
  tooMany: 'You have 50 saved views. Delete one first.',
  saved: (name: string) => `Saved “${name}”`,
  remove: 'Delete view',
  removed: 'View deleted',
  undo: 'Undo',
  restoreFailed: 'Couldn’t restore the view. Save it again.',
  removeFailed: 'This view has already been deleted, or you can’t delete it. Reload the page.',
} as const
