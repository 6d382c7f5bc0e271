/** UI text for the buttons above a table. Text for what these buttons open is in separate files, which are loaded only when it opens. */

/** UI text for the button of a filter, and for the values of filters. */
export const filterCopy = {
  remove: 'Remove filter',
  removeNamed: (filter: string) => `Remove ${filter} filter`,
  least: 'At least',
  most: 'At most',
  noCurrency: 'No currency',
  selected: 'selected',
} as const

export const columnsCopy = {
  columns: 'Columns',
  notSaved: 'Couldn’t save your columns. Try again.',
} as const
