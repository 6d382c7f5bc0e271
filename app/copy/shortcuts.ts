/** UI text for the keyboard shortcuts. */
export const shortcutsCopy = {
  title: 'Keyboard shortcuts',
  groups: [
    {
      name: 'Anywhere',
      keys: [
        ['Ctrl K', 'Search and go to a page'],
        ['/', 'Search the list, or everything'],
        ['?', 'Show these shortcuts'],
        ['\\', 'Collapse the sidebar'],
        ['Esc', 'Close'],
      ],
    },
    {
      name: 'Go to',
      keys: [
        ['g o', 'Overview'],
        ['g p', 'Payments'],
        ['g b', 'Bookings'],
        ['g s', 'Subscriptions'],
        ['g c', 'Customers'],
        ['g t', 'Tickets'],
      ],
    },
    {
      name: 'In a table',
      keys: [
        ['j', 'Next row'],
        ['k', 'Previous row'],
        ['o', 'Open the record next to the table'],
        ['Enter', 'Open the record'],
        ['x', 'Select the row'],
        ['e', 'Export the table, or the selected rows'],
      ],
    },
    {
      name: 'In a record',
      keys: [
        ['[', 'Previous record'],
        [']', 'Next record'],
        ['Esc', 'Back to the table'],
      ],
    },
  ],
} as const
