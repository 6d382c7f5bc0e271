/** UI text for the button that opens the command palette. */
export const paletteButtonCopy = {
  open: 'Search…',
  shortcut: 'Ctrl K',
  macShortcut: '⌘K',
} as const
