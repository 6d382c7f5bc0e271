/** UI text for saved views. */
export const savedViewsCopy = {
  title: 'Saved views',
  save: 'Save view',
  edit: 'Edit view',
  description: 'Saves the current filters and sort order. A relative period such as “Last month” stays relative.',
  remove: 'Delete view',
} as const
