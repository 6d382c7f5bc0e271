'use server'
/** Server actions that make a signed-in browser a check-in device, so that it can work offline, and rename it. */
import { headers } from 'next/headers'
import { accountErrors } from '@/app/copy/account-errors'
import { doorCopy } from '@/app/copy/door'
import { requireCaller } from '@/app/session'
import { AccountError } from '@/lib/accounts/account-error'
import {
  type CheckInDevice,
  createDevice,
  enrollDevice,
  findDevice,
  readDeviceToken,
  renameOwnBrowser,
} from '@/lib/accounts/check-in-devices'
import { nameSchema } from '@/lib/accounts/name-schema'
import type { SessionUser } from '@/lib/accounts/sessions'
import { ApiError } from '@/lib/core/errors'
import { storeDeviceCookie } from './device-cookie'

/** How long the device is valid, in days. */
const DAYS = 30

/**
 * Makes the browser a device, or renames it if it already is one. A device that was set up with a code is not replaced or renamed, because
 * it works without a signed-in user.
 *
 * @param name the name that the user entered for the device; may be empty
 * @returns an error message, or undefined on success
 */
export async function enrollSelf(name: string): Promise<string | undefined> {
  try {
    await enroll(name)
    return undefined
  } catch (error) {
    if (error instanceof AccountError) return accountErrors[error.code]
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/**
 * Renames the browser if the signed-in user has made it a device. Its name is shown with offline scans.
 *
 * @param name the name that the user entered for the device; an invalid one is ignored
 * @throws {ApiError} like `requireCaller`
 */
export async function renameSelf(name: string): Promise<void> {
  const caller = await requireCaller('door')
  const device = await findBrowserDevice()
  if (device) await rename(device, name, caller)
}

async function findBrowserDevice(): Promise<CheckInDevice | undefined> {
  const token = readDeviceToken((await headers()).get('cookie'))
  return token === undefined ? undefined : findDevice(token)
}

async function rename({ id }: CheckInDevice, name: string, { sellerId, userId, email }: SessionUser): Promise<void> {
  const { success, data } = nameSchema(64).safeParse(name)
  if (success) await renameOwnBrowser(sellerId, id, data, { userId, email })
}

/**
 * @throws {AccountError} `too_many_devices` if 100 other browsers of the user are active devices
 * @throws {ApiError} like `requireCaller`
 */
async function enroll(name: string): Promise<void> {
  const caller = await requireCaller('door')
  const { sellerId, userId, email } = caller
  const existing = await findBrowserDevice()
  if (existing && (existing.sellerId === sellerId || !existing.rights.includes('session'))) return rename(existing, name, caller)
  const { success, data } = nameSchema(64).safeParse(name)
  const { code } = await createDevice(
    sellerId,
    { name: success ? data : doorCopy.start.unnamed, pageIds: [], rights: ['session', 'offline', 'names'], days: DAYS },
    { userId, email },
  )
  await storeDeviceCookie(await enrollDevice(code))
}
