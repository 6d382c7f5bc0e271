'use server'
/** Server action for the password form. */
import { z } from 'zod'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { settingsCopy } from '@/app/copy/settings'
import { readDevice } from '@/app/known-device'
import { currentSessionId, requireActor } from '@/app/session'
import { changePassword } from '@/lib/accounts/change-password'
import { passwordSchema } from '@/lib/accounts/users'
import { catchAccountError } from '../_parts/account-errors'

const passwordsSchema = z.object({ old: z.string().min(1).max(1000), next: passwordSchema })

/** Changes the user's password, and ends their other sessions. */
export async function changeOwnPassword(_: FormState, form: FormData): Promise<FormState> {
  const user = await requireActor('account', '/settings/password')
  const parsed = passwordsSchema.safeParse({ old: form.get('old'), next: form.get('next') })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, settingsCopy.password.fieldErrors) }
  const sessionId = (await currentSessionId()) ?? ''
  const change = async () => {
    await changePassword(user, sessionId, parsed.data, await readDevice())
    return true as const
  }
  return catchAccountError(change, { password_wrong: 'old', too_many_attempts: 'old' })
}
