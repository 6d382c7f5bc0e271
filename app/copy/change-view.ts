/** UI text for saving, editing and deleting a view. It is separate from `saved-views.ts`, which every table loads. */
export const changeViewCopy = {
  name: 'Name',
  nameError: 'Enter a name (up to 60 characters).',
  shared: 'Share with everyone in the shop',
  submit: 'Save',
  saving: 'Saving…',
  gone: 'This view has been deleted. Reload the page.',
  tooMany: 'You have 50 saved views. Delete one first.',
  saved: (name: string) => `Saved “${name}”`,
  removed: 'View deleted',
  undo: 'Undo',
  restoreFailed: 'Couldn’t restore the view. Save it again.',
  removeFailed: 'This view has already been deleted, or you can’t delete it. Reload the page.',
} as const
