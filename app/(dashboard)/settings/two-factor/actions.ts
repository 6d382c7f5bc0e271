'use server'
/** Server actions for the two-factor authentication page. */
import type { FormState } from '@/app/_components/form-state'
import { readDevice } from '@/app/known-device'
import { currentSessionId, requireActor } from '@/app/session'
import { disableTwoFactor, enableTwoFactor } from '@/lib/accounts/two-factor'
import { catchAccountError, changeAndRefresh } from '../_parts/account-errors'

const PATH = '/settings/two-factor'

/** Turns on two-factor authentication. Returns the recovery codes, which cannot be shown again. */
export async function enable(_: FormState<string[]>, form: FormData): Promise<FormState<string[]>> {
  const user = await requireActor('account', PATH)
  const sessionId = (await currentSessionId()) ?? ''
  const input = { sealed: String(form.get('sealed')), code: String(form.get('code')), password: String(form.get('password')) }
  const fields = { code_wrong: 'code', password_wrong: 'password', too_many_attempts: 'password' }
  return catchAccountError(async () => enableTwoFactor(user, sessionId, input, await readDevice()), fields)
}

/** Turns off two-factor authentication, given a code. */
export async function disable(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireActor('account', PATH)
  const turnOff = async () => {
    await disableTwoFactor(user, String(form.get('code')), await readDevice())
    return true as const
  }
  return changeAndRefresh(turnOff, { code_wrong: 'code', too_many_attempts: 'code' })
}
