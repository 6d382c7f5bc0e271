/** Product name, and text shared by all pages. */
export const shopCopy = {
  name: 'Checkout Desk',
  description: 'The back office of your shop: find any order in seconds and check in guests.',
  skip: 'Skip to content',
  navigation: 'Main',
  settings: 'Settings',
  dashboard: 'Dashboard',
  myPassword: 'My password',
  /** Labels of the theme button, by the current theme. */
  theme: { system: 'Theme: System', light: 'Theme: Light', dark: 'Theme: Dark' },
} as const
