/** UI text for the menu of a record's page. */
export const recordMenuCopy = {
  label: 'More actions',
  link: 'Copy link',
  linkName: 'link',
  json: 'View JSON',
  print: 'Print',
} as const
