'use server'
/** Server actions of the two-factor authentication page. */
import { refresh } from 'next/cache'
import { getServerSession } from 'next-auth'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { authOptions } from '@/app/auth'
import { settingsCopy } from '@/app/copy/settings'
import { readDevice } from '@/app/known-device'
import { requireUser } from '@/app/session'
import { AccountError, TooManyAttemptsError } from '@/lib/accounts/account-error'
import { disableTwoFactor, enableTwoFactor } from '@/lib/accounts/two-factor'

const PATH = '/settings/two-factor'

/** Runs a change that requires a code. Returns errors about the code for the code field. */
async function confirmByCode<Done>(work: () => Promise<Done>): Promise<FormState<Done>> {
  try {
    return { done: await work() }
  } catch (error) {
    if (error instanceof TooManyAttemptsError) return { errors: { code: settingsCopy.password.tooManyAttempts(error.seconds) } }
    if (error instanceof AccountError)
      return { errors: { [error.code === 'code_wrong' ? 'code' : FORM_ERROR_KEY]: settingsCopy.errors[error.code] } }
    throw error
  }
}

/** Returns the recovery codes. */
export async function enable(_: FormState<string[]>, form: FormData): Promise<FormState<string[]>> {
  const user = await requireUser('account', PATH)
  const session = await getServerSession(authOptions)
  return confirmByCode(() => enableTwoFactor(user, session?.sessionId ?? '', String(form.get('sealed')), String(form.get('code'))))
}

export async function disable(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireUser('account', PATH)
  const state = await confirmByCode(async () => {
    await disableTwoFactor(user, String(form.get('code')), await readDevice())
    return true as const
  })
  if (state.done) refresh()
  return state
}
