/** UI text for the settings pages. */
import type { EntryPolicy } from '@/lib/catalog/pages'
import { formatPlural } from './format'

export const settingsCopy = {
  title: 'Settings',
  navigation: 'Settings',
  /** The pages, in navigation order. */
  areas: {
    keys: 'API keys',
    requests: 'Request log',
    pages: 'Products & events',
    devices: 'Check-in devices',
    team: 'Team',
    seller: 'Shop',
    stripe: 'Stripe',
    webhooks: 'Webhooks',
    password: 'My password',
    'two-factor': 'Two-factor authentication',
    audit: 'Audit log',
  },
  never: 'Never',
  actions: 'Actions',

  policies: {
    single: { name: 'Single entry', description: 'Each ticket can be checked in once.' },
    reentry: { name: 'Re-entry after check-out', description: 'Guests can re-enter with the same ticket after checking out.' },
    multiple: {
      name: 'Multiple entries',
      description: 'A ticket admits any number of people. Each scan in counts as one person entering, and each scan out as one leaving.',
    },
  } satisfies Record<EntryPolicy, { name: string; description: string }>,

  pages: {
    hint: 'What you sell: each order, booking and ticket belongs to one of these.',
    add: 'Add product or event',
    adding: 'Adding…',
    addTitle: 'Add a product or event',
    none: 'No products or events yet',
    noneHint: 'Add each product and event you sell, or import them.',
    columns: { name: 'Name', policy: 'Entry', startsAt: 'Starts', capacity: 'Capacity', id: 'ID' },
    name: 'Name',
    policy: 'Entry',
    startsAt: 'Starts',
    endsAt: 'Ends',
    capacity: 'Maximum number of guests',
    offline: 'Offline check-in',
    /** Labels and hints of the options, in the form's order. */
    offlineOptions: {
      offlineAdmission: ['Devices may admit guests', 'They store an encrypted ticket list'],
      offlineNames: [
        'Show guest names',
        'Only on devices with “Show names offline”. Each name can be decrypted only with its ticket’s code',
      ],
      offlineSearch: [
        'Find guests by name',
        'Only on devices with “Find guests” and “Show names offline”. Anyone with an unlocked device can list the guests',
      ],
    },
    optional: (zone: string) => `Optional, in your shop’s time zone (${zone}).`,
    edit: 'Edit',
    editAccessibleName: (name: string) => `Edit ${name}`,
    editTitle: (name: string) => `Edit “${name}”`,
    idOf: (name: string) => `ID of ${name}`,
    fieldErrors: {
      name: 'Enter a name (up to 200 characters).',
      entryPolicy: 'Choose an entry policy.',
      startsAt: 'Enter a date and time.',
      endsAt: 'Enter a date and time no earlier than the start.',
      capacity: 'Enter a whole number from 1 to 1,000,000.',
      offlineAdmission: '',
      offlineNames: '',
      offlineSearch: '',
    },
    added: (name: string) => `Added “${name}”.`,
    saved: (name: string) => `Saved “${name}”.`,
  },

  seller: {
    hint: 'Your shop’s name and time zone.',
    name: 'Name',
    timeZone: 'Time zone',
    timeZoneHint: 'Search for a city, such as “Amsterdam”. Dates, times and daily totals use this time zone.',
    fieldErrors: {
      name: 'Enter a name (up to 200 characters).',
      timeZone: 'Choose a time zone from the list, such as Europe/Amsterdam.',
    },
    saved: 'Shop saved.',
  },

  twoFactor: {
    hint: 'In addition to your password, you enter a code from an app on your phone to sign in.',
    setUpFirst: 'Your shop requires two-factor authentication. Set it up to continue.',
    scan: 'Scan this code with an authenticator app, such as the one in your password manager.',
    qrAlt: 'QR code for your authenticator app',
    typeInstead: 'Can’t scan it? Enter this key in the app:',
    code: 'Code',
    codeHint: 'The 6 digits that the app shows',
    password: 'Your password',
    anyCodeHint: 'From your authenticator app, or a recovery code',
    enable: 'Turn on',
    disable: 'Turn off',
    pending: 'Checking…',
    codesTitle: 'Save your recovery codes',
    codesHint:
      'Two-factor authentication is on. Without your phone, sign in with one of these codes; each works once. You won’t be able to see them again.',
    codesSaved: 'I have saved them',
    codes: 'recovery codes',
    isOn: 'Two-factor authentication is on.',
    codesLeft: (count: number) =>
      `${formatPlural(count, 'recovery code')} left. To get new ones, turn two-factor authentication off and on again.`,
    requiredByShop: 'Your shop requires it, so you can’t turn it off.',
    disabled: 'Two-factor authentication is off.',
  },

  password: {
    hint: 'Changing your password signs you out on all other devices.',
    old: 'Current password',
    next: 'New password',
    nextHint: 'At least 10 characters',
    submit: 'Change password',
    pending: 'Saving…',
    fieldErrors: { old: 'Enter your current password.', next: 'Use 10 to 1,000 characters.' },
    tooManyAttempts: (seconds: number) => `Too many attempts. Try again in ${formatPlural(seconds, 'second')}.`,
    changed: 'Password changed. You are signed out on all other devices.',
    door: '← Check-in',
  },
} as const
