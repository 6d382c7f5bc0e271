'use server'
/** Server action that makes a signed-in browser a check-in device, so that it can work offline. */
import { headers } from 'next/headers'
import { accountErrors } from '@/app/copy/account-errors'
import { doorCopy } from '@/app/copy/door'
import { requireCaller } from '@/app/session'
import { AccountError } from '@/lib/accounts/account-error'
import { createDevice, enrollDevice, findDevice, readDeviceToken } from '@/lib/accounts/check-in-devices'
import { nameSchema } from '@/lib/accounts/name-schema'
import { ApiError } from '@/lib/core/errors'
import { storeDeviceCookie } from './device-cookie'

/** How long the device is valid, in days. */
const DAYS = 30

/**
 * Makes the browser a device, unless it already is one. A device that was set up with a code is not replaced, because it works without a
 * signed-in user.
 *
 * @param name the name that the user entered for the device; can be empty
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
 * @throws {AccountError} `too_many_devices` if 100 other browsers of the user are active devices
 * @throws {ApiError} like `requireCaller`
 */
async function enroll(name: string): Promise<void> {
  const { sellerId, userId, email } = await requireCaller('door')
  const token = readDeviceToken((await headers()).get('cookie'))
  const existing = token === undefined ? undefined : await findDevice(token)
  if (existing && (existing.sellerId === sellerId || !existing.rights.includes('session'))) return
  const { success, data } = nameSchema(64).safeParse(name)
  const settings = {
    name: success ? data : doorCopy.start.unnamed,
    pageIds: [],
    rights: ['session', 'offline', 'names'] as const,
    days: DAYS as 30,
  }
  const { code } = await createDevice(sellerId, { ...settings, rights: [...settings.rights] }, { userId, email })
  await storeDeviceCookie(await enrollDevice(code))
}
