/** The color and icon of the line that says whether a device can lose its connection. */
import { expect, it } from 'vitest'
import { getMode } from './offline-bar'
import type { OfflineStatus } from './use-offline'

const status = { isComplete: true, isKept: true, isInstalled: true, isOffline: false, isEnded: false, isOutdated: false } as OfflineStatus

it.each([
  ['ready', {}],
  ['ready', { isKept: false }],
  ['storing', { isInstalled: false }],
  ['loading', { isComplete: false, isInstalled: false }],
  ['offline', { isOffline: true, isInstalled: false }],
  ['outdated', { isOutdated: true }],
  ['bad', { isEnded: true }],
])('is %s for %j', (mode, part) => {
  expect(getMode({ status: { ...status, ...part }, problem: undefined })).toBe(mode)
  expect(getMode({ status: { ...status, ...part }, problem: 'full' })).toBe('bad')
})
