/** UI text for the choices of a filter. */
export const filterPopoverCopy = {
  close: 'Close',
  find: 'Find',
  noChoices: 'No options',
  from: 'From',
  to: 'To',
  currency: 'Currency',
  anyCurrency: 'Any currency',
  apply: 'Apply',
  unavailable: 'Couldn’t load the choices. Close and try again.',
  least: 'At least',
  most: 'At most',
  noCurrency: 'No currency',
  selected: 'selected',
} as const
