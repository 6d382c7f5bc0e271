'use server'
/** Server action that exchanges the code of a check-in device for its cookie. */
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import type { FormState } from '@/app/_components/form-state'
import { deviceCopy } from '@/app/copy/device'
import { AccountError } from '@/lib/accounts/account-error'
import { DEVICE_COOKIE, enrollDevice, REPORT_DAYS } from '@/lib/accounts/check-in-devices'
import { isBehindTls } from '@/lib/core/env'

export async function enroll(_: FormState, form: FormData): Promise<FormState> {
  try {
    const { token, expiresAt } = await enrollDevice(String(form.get('code') ?? ''))
    const jar = await cookies()
    // It outlives the device, which can still report its scans then.
    const expires = new Date(expiresAt.getTime() + REPORT_DAYS * 86_400_000)
    // Only the check-in page's requests carry it, and no script can read it.
    jar.set(DEVICE_COOKIE, token, { httpOnly: true, sameSite: 'strict', secure: isBehindTls(), path: '/door', expires })
  } catch (error) {
    if (error instanceof AccountError) return { errors: { code: deviceCopy.codeError } }
    throw error
  }
  redirect('/door')
}
