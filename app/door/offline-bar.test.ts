/** The mode and the text of the status line, which shows whether a device can work without a connection. */
import { expect, it } from 'vitest'
import { describeState, getMode } from './offline-bar'
import type { Offline, OfflineStatus } from './use-offline'

const status = {
  isComplete: true,
  isPersistent: true,
  isInstalled: true,
  isOffline: false,
  isEnded: false,
  isOutdated: false,
} as OfflineStatus

it.each([
  ['ready', {}],
  ['ready', { isPersistent: false }],
  ['storing', { isInstalled: false }],
  ['loading', { isComplete: false, isInstalled: false }],
  ['preparing', { waiting: 1 }],
  ['preparing', { waiting: 1, isInstalled: false }],
  ['offline', { isOffline: true, isInstalled: false }],
  ['offline', { isOffline: true, waiting: 1 }],
  ['outdated', { isOutdated: true }],
  ['bad', { isEnded: true }],
])('returns the mode %s for %j', (mode, part) => {
  expect(getMode({ status: { ...status, ...part }, problem: undefined })).toBe(mode)
  expect(getMode({ status: { ...status, ...part }, problem: 'full' })).toBe('bad')
})

it.each([
  ['4 of 402 tickets are still being prepared. Until they’re ready, scanning them needs a connection.', { tickets: 398, waiting: 4 }],
  [
    '1 of 1 ticket is still being prepared. Until it’s ready, scanning it needs a connection. 2 scans not sent yet.',
    { waiting: 1, unsent: 2 },
  ],
  ['Offline: using this device’s list from 21:04. 4 tickets aren’t on it yet.', { tickets: 398, waiting: 4, isOffline: true }],
])('returns the text “%s”', (text, part) => {
  const at = Date.UTC(2026, 6, 1, 21, 4)
  const offline = { status: { ...status, tickets: 0, unsent: 0, updatedAt: at, ...part }, problem: undefined } as Offline
  expect(describeState(offline, 'unknown', at, 'UTC')).toBe(text)
})
