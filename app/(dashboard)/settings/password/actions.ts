'use server'
/** Server action of the password form. */
import { getServerSession } from 'next-auth'
import { z } from 'zod'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { authOptions } from '@/app/auth'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { AccountError, TooManyAttemptsError } from '@/lib/accounts/account-error'
import { changePassword } from '@/lib/accounts/change-password'
import { password } from '@/lib/accounts/users'

const copy = settingsCopy.password
const passwords = z.object({ old: z.string().min(1).max(1000), next: password })

export async function changeMine(_: Reply, form: FormData): Promise<Reply> {
  const user = await requireUser('account', '/settings/password')
  const given = passwords.safeParse({ old: form.get('old'), next: form.get('next') })
  if (!given.success) return { errors: fieldErrorsOf(given.error, copy.fieldErrors) }
  const session = await getServerSession(authOptions)
  try {
    await changePassword(user, session?.sessionId ?? '', given.data)
    return { done: true }
  } catch (error) {
    if (error instanceof TooManyAttemptsError) return { errors: { old: copy.tooManyAttempts(error.seconds) } }
    if (error instanceof AccountError) return { errors: { old: settingsCopy.errors[error.code] } }
    throw error
  }
}
