'use server'
/** Server action that makes a signed-in browser a check-in device, so that it can work without a network. */
import { headers } from 'next/headers'
import { doorCopy } from '@/app/copy/door'
import { requireCaller } from '@/app/session'
import { createDevice, enrollDevice, findDevice, readDeviceToken } from '@/lib/accounts/check-in-devices'
import { nameSchema } from '@/lib/accounts/name-schema'
import { storeDeviceCookie } from './device-cookie'

const DAYS = 30

/** @param name the name that the user has given the device; can be empty */
export async function enrollSelf(name: string): Promise<void> {
  const { sellerId, userId, email } = await requireCaller('door')
  // The browser might be a device already, set up with a code.
  const token = readDeviceToken((await headers()).get('cookie'))
  const known = token === undefined ? undefined : await findDevice(token)
  if (known?.sellerId === sellerId && known.rights.includes('offline')) return
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
