/** The caller of a check-in request: a signed-in user, or a check-in device. */
import { findDoorUser } from '@/app/session-token'
import {
  type CheckInDevice,
  DEVICE_RIGHTS,
  type DeviceRight,
  findDevice,
  findReportingDevice,
  readDeviceToken,
  touchDevice,
} from '@/lib/accounts/check-in-devices'
import { mayUse } from '@/lib/accounts/roles'
import { mustSetUpTwoFactor, type SessionUser } from '@/lib/accounts/sessions'
import { ApiError } from '@/lib/core/errors'
import { log } from '@/lib/core/log'
import { doorRefusals } from '../copy/door-refusals'
import type { BrowserState } from './use-offline'

/**
 * `search` permits the guest search, opening tickets, manual check-ins, notes, short IDs instead of codes, and seeing the other tickets of
 * an order. `offline`, `names` and `session` are for devices only: `offline` permits a sealed ticket list, `names` adds the guests' names
 * to it, and a device with `session` works only while a user is signed in.
 */
export type DoorRight = 'scan' | DeviceRight

export type DoorCaller = {
  sellerId: string
  /** The ID of the user or the device. */
  actorId: string
  /** The name of the device, recorded instead of the one in the request. Absent for users. */
  deviceName?: string
  /** The IDs of the events for which the device checks in guests. Absent for all events. */
  pageIds?: readonly string[]
  rights: readonly DoorRight[]
}

/** Converts a signed-in user to a caller. Only users with access to the records, which are owners and staff, may undo check-ins. */
export function toUserCaller({ sellerId, userId, role }: SessionUser): DoorCaller {
  const rights: DoorRight[] = mayUse(role, 'door') ? ['scan', 'search', 'checkout'] : []
  return { sellerId, actorId: userId, rights: mayUse(role, 'records') ? [...rights, 'undo'] : rights }
}

/** Converts a check-in device to a caller. */
export function toDeviceCaller({ id, name, sellerId, pageIds, rights }: CheckInDevice): DoorCaller {
  const granted = DEVICE_RIGHTS.filter((right) => rights.includes(right))
  return { sellerId, actorId: id, deviceName: name, rights: ['scan', ...granted], ...(pageIds.length > 0 ? { pageIds } : {}) }
}

/** Returns the valid device whose token is in a `Cookie` header, and updates when it was last seen. */
export async function readDevice(cookies: string | null): Promise<CheckInDevice | undefined> {
  const token = readDeviceToken(cookies)
  const device = token === undefined ? undefined : await findDevice(token)
  if (device) {
    const warn = (error: unknown) => log().warn({ error }, 'could not record the last contact of a check-in device')
    touchDevice(device.sellerId, device.id, warn)
  }
  return device
}

/** Returns whether a device works only while a user is signed in, because it is a browser that a user has enrolled. */
export const needsSession = ({ rights }: CheckInDevice) => rights.includes('session')

/** Returns whether a user or device belongs to the seller of the page that sent a request. Always true if the page is unknown. */
const isForPage = ({ sellerId }: { sellerId: string }, pageSellerId: string | undefined) => (pageSellerId ?? sellerId) === sellerId

/** Returns whether the browser is a device that was revoked or expired in the last 30 days, which may still have scans to report. */
export async function hasEndedDevice(cookies: string | null): Promise<boolean> {
  const token = readDeviceToken(cookies)
  const device = token === undefined ? undefined : await findReportingDevice(token)
  return device !== undefined && !device.isValid
}

/** Returns the state of a browser for a seller, given its valid device, if any. */
export function getBrowserState(device: CheckInDevice | undefined, sellerId: string): Exclude<BrowserState, 'ended'> {
  if (device?.sellerId === sellerId && device.rights.includes('offline')) return 'offline'
  return device && !needsSession(device) ? 'onlineOnly' : 'none'
}

/**
 * Returns the caller for whom the check-in page is rendered if a user is signed in. In a browser that was set up with a code to work
 * offline, the page offers only the device's events, and scans guests out only if the device may: the device could not check any other
 * scan without a connection.
 *
 * @param device the browser's valid device, if any
 */
export function toPageCaller(user: SessionUser, device: CheckInDevice | undefined): DoorCaller {
  const caller = toUserCaller(user)
  if (!device || needsSession(device) || getBrowserState(device, user.sellerId) !== 'offline') return caller
  const { pageIds, rights } = toDeviceCaller(device)
  const offered = caller.rights.filter((right) => right !== 'checkout' || rights.includes(right))
  return { ...caller, rights: offered, ...(pageIds && { pageIds }) }
}

/**
 * Returns the caller of a request that uses the browser's device. Unlike in `readCaller`, the device takes precedence over a signed-in
 * user. A device that needs a session also gets the user's right to `search`. If the browser has no device, or one that needs a session and
 * belongs to another seller, the user is the caller.
 *
 * @param pageSellerId as for `readCaller`
 * @throws {ApiError} like `readCaller`, and `key_invalid` if the device is revoked or expired, even if a user is signed in
 */
export async function readDeviceCaller(cookies: string | null, pageSellerId?: string): Promise<DoorCaller> {
  const device = await readDevice(cookies)
  if (!device && readDeviceToken(cookies) !== undefined) throw new ApiError('key_invalid', doorRefusals.deviceEnded)
  if (device && !needsSession(device) && !isForPage(device, pageSellerId)) throw new ApiError('scope_missing', doorRefusals.otherDevice)
  if (device && !needsSession(device)) return toDeviceCaller(device)
  const caller = await readCaller(cookies, pageSellerId)
  if (device?.sellerId !== caller.sellerId || !caller.rights.includes('scan')) return caller
  const deviceCaller = toDeviceCaller(device)
  return { ...deviceCaller, rights: [...deviceCaller.rights, ...caller.rights.filter((right) => right === 'search')] }
}

/**
 * Returns the caller of a request. A session takes precedence over a device, so that a signed-in user's scans are recorded as theirs,
 * unless only the device belongs to the page's seller: the user may have signed in to another shop in another tab.
 *
 * @param pageSellerId the seller for whom the page was rendered; undefined if the request does not name one
 * @throws {ApiError} `key_missing` without a session or device, `key_invalid` if the device is revoked or expired, `scope_missing` if the
 * user has to set up two-factor authentication first, or if neither the user nor the device belongs to the page's seller
 */
export async function readCaller(cookies: string | null, pageSellerId?: string): Promise<DoorCaller> {
  const user = await findDoorUser(cookies)
  const isUsersPage = user !== undefined && isForPage(user, pageSellerId)
  if (isUsersPage && mustSetUpTwoFactor(user)) throw new ApiError('scope_missing', doorRefusals.mustSetUpTwoFactor)
  if (isUsersPage) return toUserCaller(user)
  const device = await readDevice(cookies)
  const isDevicesPage = device !== undefined && isForPage(device, pageSellerId)
  if (user && (!isDevicesPage || needsSession(device))) throw new ApiError('scope_missing', doorRefusals.otherShop)
  if (device && needsSession(device)) throw new ApiError('key_missing', doorRefusals.signedOut)
  if (device && !isDevicesPage) throw new ApiError('scope_missing', doorRefusals.otherDevice)
  if (device) return toDeviceCaller(device)
  if (readDeviceToken(cookies) !== undefined) throw new ApiError('key_invalid', doorRefusals.deviceEnded)
  throw new ApiError('key_missing', doorRefusals.signedOut)
}
