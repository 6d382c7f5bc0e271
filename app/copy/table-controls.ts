/** UI text for the tables' client components, separate from `list.ts`, whose text only the server needs. */
import { formatPlural } from './format'

export const filterCopy = {
  remove: 'Remove filter',
  close: 'Close',
  find: 'Find',
  noChoices: 'No options',
  from: 'From',
  to: 'To',
  least: 'At least',
  most: 'At most',
  currency: 'Currency',
  anyCurrency: 'Any currency',
  noCurrency: 'No currency',
  apply: 'Apply',
  unavailable: 'Couldn’t load the choices. Close and try again.',
  selected: 'selected',
} as const

export const columnsCopy = {
  columns: 'Columns',
  notSaved: 'Couldn’t save your columns. Try again.',
} as const

/** UI text for the bar that acts on selected rows. */
export const selectionCopy = {
  label: 'Selected rows',
  selected: (count: number) => `${count} selected`,
  received: (amount: string, received: string) => `${amount} (${received} received)`,
  /** @param one the name of a record in the list, such as "payment" */
  excluding: (tests: number, one: string, many: string) => `excluding ${formatPlural(tests, `test ${one}`, `test ${many}`)}`,
  sumHint: 'Sums include live records only, unless all selected records are test records.',
  export: 'Export selected',
  copyEmails: 'Copy emails',
  copyIds: 'Copy IDs',
  copied: 'Copied',
  failed: 'Couldn’t copy',
  clear: 'Clear selection',
} as const

export const exportCopy = {
  label: 'Export',
  running: (rows: string, total: string) => `Exporting ${rows} of ${total} rows`,
  cancel: 'Cancel',
  canceled: 'Export canceled',
  exported: (rows: string) => `Exported ${rows} rows`,
  failed: 'The export failed. Try again.',
} as const
