/** UI text for the bulk action bar. */
import { formatPlural } from './format'

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
