/** The product's name, and UI text shared by all pages. */
export const shopCopy = {
  name: 'Checkout Desk',
  description: 'The back office of your shop: find any order in seconds and check in guests.',
  skip: 'Skip to content',
  navigation: 'Main',
  tabs: 'Quick navigation',
  sales: 'Sales',
  events: 'Events',
  orders: 'Orders',
  more: 'More',
  docs: 'API docs',
  settings: 'Settings',
  shortcuts: 'Keyboard shortcuts',
  dashboard: 'Dashboard',
  myPassword: 'My password',
  /** Labels of the theme button, by the current theme. */
  theme: { system: 'Theme: System', light: 'Theme: Light', dark: 'Theme: Dark' },
} as const
