'use server'
/** Server action for the password form. */
import { z } from 'zod'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { accountErrors } from '@/app/copy/account-errors'
import { settingsCopy } from '@/app/copy/settings'
import { readDevice } from '@/app/known-device'
import { currentSessionId, requireActor } from '@/app/session'
import { AccountError, TooManyAttemptsError } from '@/lib/accounts/account-error'
import { changePassword } from '@/lib/accounts/change-password'
import { password } from '@/lib/accounts/users'

const copy = settingsCopy.password
const passwordsSchema = z.object({ old: z.string().min(1).max(1000), next: password })

/** Changes the user's password, and ends their other sessions. */
export async function changeOwnPassword(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireActor('account', '/settings/password')
  const parsed = passwordsSchema.safeParse({ old: form.get('old'), next: form.get('next') })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  const sessionId = (await currentSessionId()) ?? ''
  try {
    await changePassword(user, sessionId, parsed.data, await readDevice())
    return { done: true }
  } catch (error) {
    if (error instanceof TooManyAttemptsError) return { errors: { old: copy.tooManyAttempts(error.seconds) } }
    if (error instanceof AccountError) return { errors: { old: accountErrors[error.code] } }
    throw error
  }
}
