'use server'
/** Server actions for the two-factor authentication page. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { accountErrors } from '@/app/copy/account-errors'
import { settingsCopy } from '@/app/copy/settings'
import { readDevice } from '@/app/known-device'
import { currentSessionId, requireActor } from '@/app/session'
import { AccountError, type AccountErrorCode, TooManyAttemptsError } from '@/lib/accounts/account-error'
import { disableTwoFactor, enableTwoFactor } from '@/lib/accounts/two-factor'

const PATH = '/settings/two-factor'

/** The fields that show errors. Other errors are shown for the whole form. */
const FIELDS: Partial<Record<AccountErrorCode, string>> = { code_wrong: 'code', password_wrong: 'password' }

/**
 * Runs a change and returns its result. Returns account errors as form errors.
 *
 * @param limitedField the field that shows the error if there were too many wrong attempts
 */
async function catchFormErrors<Done>(limitedField: string, work: () => Promise<Done>): Promise<FormState<Done>> {
  try {
    return { done: await work() }
  } catch (error) {
    if (error instanceof TooManyAttemptsError) return { errors: { [limitedField]: settingsCopy.password.tooManyAttempts(error.seconds) } }
    if (error instanceof AccountError) return { errors: { [FIELDS[error.code] ?? FORM_ERROR_KEY]: accountErrors[error.code] } }
    throw error
  }
}

/** Turns on two-factor authentication. Returns the recovery codes, which cannot be shown again. */
export async function enable(_: FormState<string[]>, form: FormData): Promise<FormState<string[]>> {
  const user = await requireActor('account', PATH)
  const sessionId = (await currentSessionId()) ?? ''
  const input = { sealed: String(form.get('sealed')), code: String(form.get('code')), password: String(form.get('password')) }
  return catchFormErrors('password', async () => enableTwoFactor(user, sessionId, input, await readDevice()))
}

/** Turns off two-factor authentication, given a code. */
export async function disable(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireActor('account', PATH)
  const state = await catchFormErrors('code', async () => {
    await disableTwoFactor(user, String(form.get('code')), await readDevice())
    return true as const
  })
  if (state.done) refresh()
  return state
}
