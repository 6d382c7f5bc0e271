'use server'
/** Server action that exchanges a check-in device's setup code for the device's cookie. */
import type { FormState } from '@/app/_components/form-state'
import { deviceSetupCopy } from '@/app/copy/device-setup'
import { AccountError } from '@/lib/accounts/account-error'
import { enrollDevice } from '@/lib/accounts/check-in-devices'
import { storeDeviceCookie } from './device-cookie'

export async function enroll(_: FormState, form: FormData): Promise<FormState> {
  try {
    await storeDeviceCookie(await enrollDevice(String(form.get('code') ?? '')))
  } catch (error) {
    if (error instanceof AccountError) return { errors: { code: deviceSetupCopy.codeError } }
    throw error
  }
  return { data: true }
}
