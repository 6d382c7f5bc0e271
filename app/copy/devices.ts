/** UI text for the check-in devices, in a separate file so that other settings pages do not load it. */
import type { DEVICE_DAYS, DeviceRight, DeviceState } from '@/lib/accounts/check-in-devices'
import { formatCount } from './format'

/** The smallest clock error shown, in milliseconds. */
const MIN_CLOCK_OFFSET_MS = 30_000

export const devicesCopy = {
  hint: 'Phones, tablets and browsers used to check in guests. Staff don’t need an account to use them.',
  create: 'Add device',
  creating: 'Adding…',
  none: 'No active check-in devices',
  noneHint: 'Add one for each phone or tablet at the door. You can revoke each one separately.',
  columns: { name: 'Name', events: 'Events', rights: 'Permissions', seen: 'Last contact', expires: 'Expires', state: 'Status' },
  states: {
    pending: 'Not set up',
    code_expired: 'Code expired',
    active: 'Active',
    expired: 'Expired',
    revoked: 'Revoked',
  } satisfies Record<DeviceState, string>,
  listed: 'Ticket list updated',
  unsent: (count: number) => (count === 1 ? '1 scan not sent' : `${formatCount(count)} scans not sent`),
  /** Returns undefined if the clock is roughly right. @param aheadMs how far the device's clock is ahead, or behind if negative */
  clock: (aheadMs: number) => {
    const minutes = Math.max(1, Math.round(Math.abs(aheadMs) / 60_000))
    return Math.abs(aheadMs) < MIN_CLOCK_OFFSET_MS ? undefined : `Clock ${formatCount(minutes)} min ${aheadMs > 0 ? 'fast' : 'slow'}`
  },
  inactive: (count: number) => `Expired and revoked devices (${formatCount(count)})`,
  allEvents: 'All events',
  noRights: 'Scan only',
  name: 'Name',
  nameHint: 'Where the device is used, such as “Gate 2”. The name is recorded with each scan.',
  events: 'Events',
  someEvents: 'Selected events',
  rights: 'Besides scanning, this device can',
  rightNames: {
    search: 'Find guests',
    checkout: 'Check out guests',
    undo: 'Undo check-ins',
    offline: 'Work offline',
    names: 'Show names offline',
    session: 'Only while signed in',
  } satisfies Record<DeviceRight, string> as Readonly<Record<string, string>>,
  rightHints: {
    search: 'Search by name, email or order, see an order’s other tickets, check in manually, and write notes',
    checkout: 'Scan guests who leave',
    undo: 'Requires a reason, as it does for owners and staff',
    offline: 'Checks tickets without a connection, using an encrypted copy of the ticket list',
    names: 'Adds guest names to the encrypted list, except for tickets whose codes are too short to protect them',
    session: 'Set up by a user for their own browser',
  } satisfies Record<DeviceRight, string>,
  days: 'Expires',
  dayNames: { 1: 'In 1 day', 7: 'In 7 days', 30: 'In 30 days', 365: 'In 1 year' } satisfies Record<(typeof DEVICE_DAYS)[number], string>,
  fieldErrors: { name: 'Enter a name (up to 64 characters).', pageIds: 'Select at least one event.' },
  setUpTitle: 'Set up the device',
  setUpHint:
    'Open this link on the device, or scan the QR code with its camera. The link works once and expires in 24 hours. You won’t be able to see it again.',
  link: 'Setup link',
  qrAlt: 'QR code for the setup link',
  codeHint: (address: string) => `Or open ${address} on the device and type this code:`,
  created: (name: string) => `Added “${name}”.`,
  revoke: (name: string) => ({
    label: 'Revoke',
    accessibleName: `Revoke ${name}`,
    title: `Revoke “${name}”?`,
    description: 'It will no longer be able to check in guests. This can’t be undone.',
    confirmLabel: 'Revoke device',
    successMessage: `Revoked “${name}”.`,
  }),
  conflicts: (open: number) => (open === 0 ? 'Conflicts' : `Conflicts (${formatCount(open)})`),
} as const
