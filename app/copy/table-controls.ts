/** UI text for the buttons above a table. The text of the menus and dialogs is in separate files, which are lazy-loaded. */
export const controlsCopy = {
  columns: 'Columns',
  remove: 'Remove filter',
  removeFilter: (filter: string) => `Remove ${filter} filter`,
} as const
