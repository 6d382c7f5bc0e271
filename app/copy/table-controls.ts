/** UI text for the buttons above a table. The text of the menus and dialogs is in separate files, which are lazy-loaded. */
export const controlsCopy = {
  columns: 'Columns',
  /** For the button of a filter, and for the values of filters. */
  remove: 'Remove filter',
  removeFilter: (filter: string) => `Remove ${filter} filter`,
  least: 'At least',
  most: 'At most',
  noCurrency: 'No currency',
  selected: 'selected',
} as const
