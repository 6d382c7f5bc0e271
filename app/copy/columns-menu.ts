/** UI text for the columns menu. */
export const columnsMenuCopy = {
  notSaved: 'Couldn’t save your columns. Try again.',
} as const
